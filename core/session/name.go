package session

import (
	"fmt"
	"slices"
)

// The names under which journals hold what is a number here. A name is never
// given to another value.

func statusNames() []string    { return []string{"", "running", "done", "failed"} }
func partKindNames() []string  { return []string{"output", "input", "diff", "place"} }
func blockKindNames() []string { return []string{"table", "plan", "teaching"} }
func outcomeNames() []string {
	return []string{"complete", "rejected", "cancelled", "broken", "interrupted"}
}
func meansNames() []string {
	return []string{"unknown", "allow_once", "allow_always", "reject_once", "reject_always"}
}
func verdictNames() []string {
	return []string{"unanswered", "approve", "reject", "chosen", "entered", "filled"}
}
func inputKindNames() []string {
	return []string{"line", "number", "integer", "switch", "one_of", "many_of"}
}

// named is the name of a value as text.
func named[T ~uint8](v T, names []string) ([]byte, error) {
	if int(v) >= len(names) {
		return nil, fmt.Errorf("there is no name for %T %d", v, v)
	}
	return []byte(names[v]), nil
}

// unnamed sets the value that has a name.
func unnamed[T ~uint8](v *T, name []byte, names []string) error {
	i := slices.Index(names, string(name))
	if i < 0 {
		return fmt.Errorf("there is no %T %q", *v, name)
	}
	*v = T(i)
	return nil
}

// MarshalText and UnmarshalText give values their names (encoding.TextMarshaler).

func (s Status) MarshalText() ([]byte, error)     { return named(s, statusNames()) }
func (s *Status) UnmarshalText(name []byte) error { return unnamed(s, name, statusNames()) }

func (k PartKind) MarshalText() ([]byte, error)     { return named(k, partKindNames()) }
func (k *PartKind) UnmarshalText(name []byte) error { return unnamed(k, name, partKindNames()) }

func (k BlockKind) MarshalText() ([]byte, error)     { return named(k, blockKindNames()) }
func (k *BlockKind) UnmarshalText(name []byte) error { return unnamed(k, name, blockKindNames()) }

func (o Outcome) MarshalText() ([]byte, error)     { return named(o, outcomeNames()) }
func (o *Outcome) UnmarshalText(name []byte) error { return unnamed(o, name, outcomeNames()) }

func (m Means) MarshalText() ([]byte, error)     { return named(m, meansNames()) }
func (m *Means) UnmarshalText(name []byte) error { return unnamed(m, name, meansNames()) }

func (v Verdict) MarshalText() ([]byte, error)     { return named(v, verdictNames()) }
func (v *Verdict) UnmarshalText(name []byte) error { return unnamed(v, name, verdictNames()) }

func (k InputKind) MarshalText() ([]byte, error)     { return named(k, inputKindNames()) }
func (k *InputKind) UnmarshalText(name []byte) error { return unnamed(k, name, inputKindNames()) }

package session

import (
	"errors"
	"fmt"
	"hash"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// InputKind is what an input of a form takes.
type InputKind uint8

// The kinds of input. A Switch takes "true" or "false".
const (
	Line InputKind = iota
	Number
	Integer
	Switch
	OneOf
	ManyOf
)

// An Input is one line of a form. Values are strings whatever its kind.
type Input struct {
	Kind     InputKind     `json:"kind,omitempty"`
	Name     string        `json:"name"`            // the agent's key for it
	Title    string        `json:"title,omitempty"` // may be empty
	Help     string        `json:"help,omitempty"`
	Options  []InputOption `json:"options,omitempty"` // OneOf, ManyOf
	Required bool          `json:"required,omitempty"`
	Default  []string      `json:"default,omitempty"`

	// Line: the length in characters, 0 without a bound; a regular expression
	// that must match somewhere; "email", "uri", "date" or "date-time". What
	// cannot be understood of them does not restrict.
	MinLength int    `json:"min_length,omitempty"`
	MaxLength int    `json:"max_length,omitempty"`
	Pattern   string `json:"pattern,omitempty"`
	Format    string `json:"format,omitempty"`

	Min *float64 `json:"min,omitempty"` // Number, Integer; nil without a bound
	Max *float64 `json:"max,omitempty"`

	MinItems int `json:"min_items,omitempty"` // ManyOf; 0 without a bound
	MaxItems int `json:"max_items,omitempty"`
}

// An InputOption is something that can be chosen in a form.
type InputOption struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"` // may be empty
	Help  string `json:"help,omitempty"`
}

// Label is what the option is called.
func (o InputOption) Label() string {
	if o.Title != "" {
		return o.Title
	}
	return o.Value
}

// Label is what the input is called.
func (in Input) Label() string {
	if in.Title != "" {
		return in.Title
	}
	return in.Name
}

func (in Input) validate() error {
	if (in.Kind == OneOf || in.Kind == ManyOf) && len(in.Options) == 0 {
		return fmt.Errorf("the form's input %q has nothing to choose from", in.Label())
	}
	if in.Kind > ManyOf {
		return fmt.Errorf("the form's input %q is of an unknown kind", in.Label())
	}
	return nil
}

// Check says what is wrong with values for the input, as half a sentence that
// says what it takes; nil means that they fit. No values leave the input out.
func (in Input) Check(values []string) error {
	switch {
	case len(values) == 0 && in.Required:
		return errors.New("is needed")
	case len(values) == 0:
		return nil
	case in.Kind == ManyOf:
		return in.checkMany(values)
	case len(values) > 1:
		return errors.New("takes one value")
	}
	value := values[0]
	switch in.Kind {
	case OneOf:
		if !in.has(value) {
			return errors.New("takes one of the values that are offered")
		}
	case Switch:
		if value != "true" && value != "false" {
			return errors.New("takes yes or no")
		}
	case Number, Integer:
		return in.checkNumber(value)
	default:
		return in.checkLine(value)
	}
	return nil
}

func (in Input) has(value string) bool {
	return slices.ContainsFunc(in.Options, func(o InputOption) bool { return o.Value == value })
}

func (in Input) checkMany(values []string) error {
	seen := map[string]bool{}
	for _, v := range values {
		if !in.has(v) || seen[v] {
			return errors.New("takes values that are offered, each once")
		}
		seen[v] = true
	}
	switch {
	case len(values) < in.MinItems:
		return fmt.Errorf("takes at least %d", in.MinItems)
	case in.MaxItems > 0 && len(values) > in.MaxItems:
		return fmt.Errorf("takes at most %d", in.MaxItems)
	}
	return nil
}

func (in Input) checkNumber(value string) error {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return errors.New("takes a number")
	case in.Kind == Integer && n != math.Trunc(n):
		return errors.New("takes a whole number")
	case in.Min != nil && n < *in.Min:
		return fmt.Errorf("takes a number from %v on", *in.Min)
	case in.Max != nil && n > *in.Max:
		return fmt.Errorf("takes a number up to %v", *in.Max)
	}
	return nil
}

func (in Input) checkLine(value string) error {
	n := utf8.RuneCountInString(value)
	switch {
	case value == "" && in.Required:
		return errors.New("is needed")
	case n < in.MinLength:
		return fmt.Errorf("takes at least %d characters", in.MinLength)
	case in.MaxLength > 0 && n > in.MaxLength:
		return fmt.Errorf("takes at most %d characters", in.MaxLength)
	}
	if in.Pattern != "" {
		if re, err := regexp.Compile(in.Pattern); err == nil && !re.MatchString(value) {
			return fmt.Errorf("takes a text that matches %s", in.Pattern)
		}
	}
	return in.checkFormat(value)
}

func (in Input) checkFormat(value string) error {
	ok, what := true, ""
	switch in.Format {
	case "email":
		// No more than what every address has: the agent knows better.
		name, host, at := strings.Cut(value, "@")
		ok, what = at && name != "" && host != "" && !strings.ContainsAny(value, " \t\n"), "an e-mail address"
	case "uri":
		u, err := url.Parse(value)
		ok, what = err == nil && u.IsAbs(), "an address like https://example.org"
	case "date":
		_, err := time.Parse(time.DateOnly, value)
		ok, what = err == nil, "a date like 2026-05-31"
	case "date-time":
		_, err := time.Parse(time.RFC3339, value)
		ok, what = err == nil, "a time like 2026-05-31T15:04:05Z"
	}
	if !ok {
		return errors.New("takes " + what)
	}
	return nil
}

func (in Input) digest(h hash.Hash) {
	put(h, fmt.Sprint(in.Kind), in.Name, in.Title, in.Help, fmt.Sprint(in.Required), in.Pattern, in.Format)
	put(h, fmt.Sprint(in.MinLength, in.MaxLength, in.MinItems, in.MaxItems, bound(in.Min), bound(in.Max)))
	put(h, fmt.Sprint(len(in.Options)))
	for _, o := range in.Options {
		put(h, o.Value, o.Title, o.Help)
	}
	put(h, fmt.Sprint(len(in.Default)))
	put(h, in.Default...)
}

func bound(n *float64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatFloat(*n, 'g', -1, 64)
}

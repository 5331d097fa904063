package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An argument is one that a tool takes. into is a *string, *int, *[]string or
// *json.RawMessage; it stays as it is when an optional argument is left out or
// null.
type argument struct {
	name     string
	into     any
	required bool
}

// decode reads the arguments of a tool call. It takes nothing that two readers
// could read differently (T36): names in their exact case, each once, none that
// is unknown, and text that is Unicode throughout. Its errors are for the model.
func decode(raw string, takes ...argument) error {
	if len(raw) > maxArguments {
		return fmt.Errorf("the arguments are longer than %d bytes", maxArguments)
	}
	if !utf8.ValidString(raw) || loneSurrogate(raw) {
		return errors.New("the arguments are not valid Unicode")
	}
	values, err := members(raw, takes)
	if err != nil {
		return err
	}
	for _, a := range takes {
		v, ok := values[a.name]
		if !ok || string(v) == "null" {
			if a.required {
				return fmt.Errorf("the argument %q is missing", a.name)
			}
			continue
		}
		if err := json.Unmarshal(v, a.into); err != nil {
			return fmt.Errorf("the argument %q is of the wrong type", a.name)
		}
	}
	return nil
}

// members splits an object into its members.
func members(raw string, takes []argument) (map[string]json.RawMessage, error) {
	bad := errors.New("the arguments are no JSON object")
	d := json.NewDecoder(strings.NewReader(raw))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, bad
	}
	values := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, bad
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("the argument %q is there twice", name)
		}
		if !known(name, takes) {
			return nil, fmt.Errorf("the argument %q is unknown; the tool takes %s", name, names(takes))
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, bad
		}
		values[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, bad
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, bad
	}
	return values, nil
}

func known(name string, takes []argument) bool {
	for _, a := range takes {
		if a.name == name {
			return true
		}
	}
	return false
}

func names(takes []argument) string {
	all := make([]string, len(takes))
	for i, a := range takes {
		all[i] = a.name
	}
	return strings.Join(all, ", ")
}

// loneSurrogate reports whether a JSON text escapes half of a UTF-16 pair, which
// every reader replaces by something else (RFC 8259 §8.2).
func loneSurrogate(raw string) bool {
	high := false // the escape before was the first half of a pair
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			if high {
				return true
			}
			i++
			continue
		}
		if raw[i+1] != 'u' {
			if high {
				return true
			}
			i += 2
			continue
		}
		n, err := strconv.ParseUint(raw[min(i+2, len(raw)):min(i+6, len(raw))], 16, 16)
		low := err == nil && n >= 0xdc00 && n <= 0xdfff
		if low != high {
			return true
		}
		high = err == nil && n >= 0xd800 && n <= 0xdbff
		i += 6
	}
	return high
}

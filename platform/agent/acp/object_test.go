package acp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestT36_KeysAreReadAsTheyWereWritten: case counts, and a key that comes twice
// is there twice.
func TestT36_KeysAreReadAsTheyWereWritten(t *testing.T) {
	o := parse(json.RawMessage(` { "command" : "ls", "Command":"touch PWNED","command":"x", "n":{"a":[1,"}]",{}]} , "comm\u0061nd":null}`))
	var keys, values []string
	for _, m := range o {
		keys = append(keys, m.key)
		values = append(values, string(m.value))
	}
	if d := cmp.Diff([]string{"command", "Command", "command", "n", "command"}, keys); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{`"ls"`, `"touch PWNED"`, `"x"`, `{"a":[1,"}]",{}]}`, "null"}, values); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
	if got := parse(json.RawMessage(`{"Options":1}`)).get("options"); got != nil {
		t.Errorf("another case was read: %s", got)
	}
}

func TestValuesOfOddTypesAreNone(t *testing.T) {
	o := parse(json.RawMessage(`{"s":1,"n":"1","l":{},"o":[],"b":"true","neg":-3,"big":1e300,"texts":["a",1,"b"]}`))
	if o.text("s") != "" || o.number("n") != nil || o.list("l") != nil || o.object("o") != nil || o.truth("b") || o.whole("neg") != 0 || o.whole("big") != 0 {
		t.Error("a value was taken for one of another type")
	}
	if d := cmp.Diff([]string{"a", "b"}, o.texts("texts")); d != "" {
		t.Error(d)
	}
	for _, raw := range []string{"", "null", "[]", `"x"`, "7"} {
		if parse(json.RawMessage(raw)) != nil {
			t.Errorf("%q was taken for an object", raw)
		}
	}
}

// FuzzParse: whatever is read, nothing panics, and of a JSON object all keys and
// values are there.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, `{"a":"\"","b":[{"c":"}"}],"d":true}`, `[1,[2],"3"]`, `{"a"`, `{"a":}`, `{"a":1,}`, "{\"\xff\":\"\\ud800\"}", `{"a":{`, `{"a":1 2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, items := parse(data), list(data)
		if !json.Valid(data) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && object != nil {
			for key, want := range object {
				if got := o.get(key); string(got) != string(want) {
					t.Errorf("%q is %s, want %s", key, got, want)
				}
			}
		}
		var array []json.RawMessage
		if json.Unmarshal(data, &array) == nil && len(array) != len(items) {
			t.Errorf("%d items, want %d", len(items), len(array))
		}
	})
}

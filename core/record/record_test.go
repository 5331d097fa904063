package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anything fills a value with whatever it can hold.
func anything(t *rapid.T, v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 12), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) })).Draw(t, name)))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1<<40, 1<<40).Draw(t, name))
	case reflect.Uint8:
		most := map[string]uint8{"Status": 3, "PartKind": 3, "BlockKind": 2, "Outcome": 4, "Means": 4, "Verdict": 5, "InputKind": 5}[v.Type().Name()]
		v.SetUint(uint64(rapid.Uint8Range(0, most).Draw(t, name)))
	case reflect.Uint16:
		v.SetUint(uint64(rapid.Uint16().Draw(t, name)))
	case reflect.Float64:
		v.SetFloat(float64(rapid.Int32().Draw(t, name)) / 8)
	case reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, name+" items"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				anything(t, v.Index(i), name)
			}
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct || rapid.Bool().Draw(t, name+" given") {
			v.Set(reflect.New(v.Type().Elem()))
			anything(t, v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			anything(t, v.Field(i), v.Type().Field(i).Name)
		}
	}
}

func anyEntry(t *rapid.T) Entry {
	kinds := make([]Kind, 0, len(types))
	for k := range types {
		kinds = append(kinds, k)
	}
	v := reflect.New(types[rapid.SampledFrom(kinds).Draw(t, "kind")]).Elem()
	anything(t, v, "entry")
	if event, ok := v.Interface().(session.Event); ok {
		return Said{Event: event, From: From{Aside: rapid.Bool().Draw(t, "aside"), Left: rapid.IntRange(0, 2).Draw(t, "left")}}
	}
	return v.Interface().(Entry)
}

// TestSES3_WhatIsWrittenIsReadAgain holds that every entry comes back as it was,
// byte for byte, whatever bytes it holds.
func TestSES3_WhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyEntry(t)
		object, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(object) || object[0] != '{' || bytes.ContainsAny(object, "\n\r") {
			t.Fatalf("not one line with an object: %q", object)
		}
		got, err := Decode(want.Kind(), object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s", object, diff)
		}
	})
}

// TestSES3_NoPartsAreNotEmptyParts holds what a tool call shows apart from what
// it no longer shows.
func TestSES3_NoPartsAreNotEmptyParts(t *testing.T) {
	for _, parts := range [][]session.Part{nil, {}} {
		object, err := Encode(Said{Event: session.ToolCall{ID: "1", Parts: parts}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Decode(KindTool, object)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.(Said).Event.(session.ToolCall).Parts; (got == nil) != (parts == nil) {
			t.Errorf("%#v came back as %#v", parts, got)
		}
	}
}

func TestSES3_WhatCannotBeKnownIsRefused(t *testing.T) {
	if _, err := Decode("poem", []byte(`{}`)); !errors.Is(err, ErrKind) {
		t.Errorf("an unknown kind: %v", err)
	}
	if _, err := Decode(KindNote, []byte(`{"text":`)); err == nil {
		t.Error("half an object was read")
	}
	if _, err := Decode(KindAsked, []byte(`{"id":"r1"}`)); err == nil {
		t.Error("a request without its text was read")
	}
	if _, err := Encode(Said{Event: session.Changed{}}); !errors.Is(err, ErrKind) {
		t.Errorf("an event that is not kept: %v", err)
	}
	got, err := Decode(KindNote, []byte(`{"text":"x","later":[1]}`))
	if err != nil || got != (Note{Text: "x"}) {
		t.Errorf("a member of a later version: %v, %v", got, err)
	}
}

func TestSES3_JoinSaysTheSame(t *testing.T) {
	text := func(s string) Entry { return Said{Event: session.Text{Chunk: s}} }
	more := func(id, s string) Entry { return Said{Event: session.ToolCall{ID: id, Chunk: s}} }
	thought := Said{Event: session.Thought{Chunk: "hm"}}
	aside := Said{Event: session.Text{Chunk: "late"}, From: From{Aside: true}}
	in := []Entry{text("a"), text("b"), aside, text("c"), thought, thought, more("1", "x"), more("1", "y"), more("2", "z"), Note{Text: "n"}, text("d"), text("eeee"), text("f")}
	want := []Entry{
		text("ab"), aside, text("c"), Said{Event: session.Thought{Chunk: "hmhm"}}, more("1", "x"), more("1", "y"), more("2", "z"), Note{Text: "n"}, text("d"), text("eeee"), text("f"),
	}
	if diff := cmp.Diff(want, Join(in, 4)); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecode(f *testing.F) {
	for k := range types {
		f.Add(string(k), []byte(`{"text":"a","bytes":true,"request":{"kind":"text"}}`))
	}
	f.Fuzz(func(t *testing.T, kind string, object []byte) {
		e, err := Decode(Kind(kind), object)
		if err != nil {
			return
		}
		again, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(Kind(kind), again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if third, _ := Encode(got); !bytes.Equal(third, again) {
			t.Fatalf("%s\n%s", again, third)
		}
	})
}

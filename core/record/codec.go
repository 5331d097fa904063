package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"copydesk/core/session"
)

// ErrKind is the error of an entry of a kind that is not known.
var ErrKind = errors.New("unknown kind of entry")

// bytesKey marks an entry whose strings stand for bytes, one character each:
// JSON itself cannot hold what is no UTF-8, and nothing may be lost.
const bytesKey = `"bytes":true`

// Encode writes an entry as a JSON object without line ends. It fails for an
// event that is not kept.
func Encode(e Entry) ([]byte, error) {
	value, more := payload(e)
	if value == nil {
		return nil, fmt.Errorf("encode %T: %w", e, ErrKind)
	}
	broken := !valid(reflect.ValueOf(value))
	if broken {
		value = each(reflect.ValueOf(value), Widen).Interface()
	}
	var b bytes.Buffer
	if err := put(&b, value); err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
	}
	if more != (From{}) {
		var from bytes.Buffer
		if err := put(&from, more); err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
		}
		join(&b, from.String())
	}
	if broken {
		join(&b, "{"+bytesKey+"}")
	}
	return b.Bytes(), nil
}

// payload is what of an entry is marshalled, and what is added to that.
func payload(e Entry) (value any, more From) {
	said, ok := e.(Said)
	switch {
	case !ok:
		return e, From{}
	case said.Kind() == "":
		return nil, From{}
	}
	return said.Event, said.From
}

func put(b *bytes.Buffer, value any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end
	return nil
}

// join adds the members of an object to the one in b.
func join(b *bytes.Buffer, object string) {
	b.Truncate(b.Len() - 1)
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	b.WriteString(object[1:])
}

// Decode reads an entry of a kind. Members that it does not know are passed
// over, so that a later version can add some.
func Decode(kind Kind, object []byte) (Entry, error) {
	into, ok := blank(kind)
	if !ok {
		return nil, fmt.Errorf("decode %q: %w", string(kind), ErrKind)
	}
	if err := json.Unmarshal(object, into.Interface()); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	var frame struct {
		From
		Bytes bool `json:"bytes"`
	}
	if bytes.Contains(object, []byte(`"bytes":`)) || bytes.Contains(object, []byte(`"aside":`)) || bytes.Contains(object, []byte(`"left":`)) {
		if err := json.Unmarshal(object, &frame); err != nil {
			frame.Bytes = false // a kind has a member of that name
		}
	}
	value := into.Elem()
	if frame.Bytes {
		value = each(value, Narrow)
	}
	if event, ok := value.Interface().(session.Event); ok {
		return Said{Event: event, From: frame.From}, nil
	}
	e := value.Interface().(Entry)
	if a, ok := e.(interface{ request() *session.Request }); ok && a.request() == nil {
		return nil, fmt.Errorf("decode %s: it has no request", kind)
	}
	return e, nil
}

func (a Asked) request() *session.Request { return a.Request }

// blank makes room for an entry of a kind.
func blank(kind Kind) (reflect.Value, bool) {
	t, ok := types[kind]
	if !ok {
		return reflect.Value{}, false
	}
	return reflect.New(t), true
}

// types are the types of the entries and events, by kind. Nothing changes it.
var types = typesOf(
	Header{}, Opened{}, Prompt{}, Asked{}, Reopened{}, Withdrawn{}, Decided{}, Note{}, Painted{}, Loading{}, Ended{}, Switched{}, Ref{}, Dropped{},
	session.Text{}, session.Thought{}, session.Break{}, session.ToolCall{}, session.Plan{}, session.Block{}, session.Notice{}, session.Usage{},
	session.Prompt{}, session.Loaded{},
)

func typesOf(values ...any) map[Kind]reflect.Type {
	m := make(map[Kind]reflect.Type, len(values))
	for _, v := range values {
		e, ok := v.(Entry)
		if !ok {
			e = Said{Event: v.(session.Event)}
		}
		m[e.Kind()] = reflect.TypeOf(v)
	}
	return m
}

// valid reports whether all strings in a value are UTF-8.
func valid(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || valid(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !valid(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !valid(v.Field(i)) {
				return false
			}
		}
	}
	return true
}

// each is a copy of a value with all its strings changed by f. Channels and
// functions are left out of it.
func each(v reflect.Value, f func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(f(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(each(v.Elem(), f))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(each(v.Index(i), f))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(each(v.Field(i), f))
		}
	case reflect.Chan, reflect.Func:
	default:
		out.Set(v)
	}
	return out
}

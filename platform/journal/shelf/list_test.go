package shelf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"copydesk/core/record"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSES3_ListHasTheNewestFirst(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, record.Opened{PID: 1}, record.Prompt{Text: "\n  Make a table  \nof ten", Agent: "simple"}, said("Here."))
	put(t, dir, 3, record.Prompt{Text: "/help", Quiet: true}, record.Prompt{Text: "evil\x1b[2J \u202etitle"})
	put(t, dir, 2, record.Prompt{Text: "/help", Quiet: true}, record.Switched{Seat: record.Seat{Agent: "claude", Dir: "/else"}})
	store(t, dir, "notes.jsonl", 9, nil)
	store(t, dir, idAt(1)+".draft.json", 9, nil)
	store(t, dir, idAt(4)+".0002.jsonl", 9, nil) // its first segment is gone
	if err := os.Mkdir(filepath.Join(dir, idAt(5)+suffix), 0o700); err != nil {
		t.Fatal(err)
	}
	got := list(t, shelve(dir))
	for i := range got {
		if got[i].Bytes == 0 {
			t.Errorf("%s has no size", got[i].ID)
		}
		got[i].Bytes, got[i].Updated = 0, got[i].Updated.UTC()
	}
	want := []record.Summary{
		{ID: idAt(3), Title: "evil␛[2J <U+202E>title", Agent: "simple", Dir: "/work", Started: at(3), Updated: at(3)},
		{ID: idAt(2), Title: "/help", Agent: "claude", Dir: "/work", Started: at(2), Updated: at(2)},
		{ID: idAt(1), Title: "Make a table", Agent: "simple", Dir: "/work", Started: at(1), Updated: at(1)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSES3_LatestOfAFolder(t *testing.T) {
	dir := t.TempDir()
	s := shelve(dir)
	if _, ok, err := s.Latest(context.Background(), ""); ok || err != nil {
		t.Errorf("an empty folder has one: %v, %v", ok, err)
	}
	put(t, dir, 1)
	other := header(2)
	other.Dir = "/other"
	store(t, dir, idAt(2)+suffix, 2, lines(1, other))
	for dir, want := range map[string]string{"": idAt(2), "/work": idAt(1), "/work/": idAt(1), "/other": idAt(2), "/none": ""} {
		got, ok, err := s.Latest(context.Background(), dir)
		if err != nil || got.ID != want || ok != (want != "") {
			t.Errorf("the latest of %q is %q, %v, %v", dir, got.ID, ok, err)
		}
	}
}

func TestD8_SegmentsAreOneSession(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, record.Prompt{Text: "one"})
	put(t, dir, 2, record.Prompt{Text: "two"})
	second := lines(5, header(1), record.Switched{Seat: record.Seat{Agent: "other"}})
	store(t, dir, idAt(1)+".0002.jsonl", 3, second)
	got := list(t, shelve(dir))
	if len(got) != 2 || got[0].ID != idAt(1) || got[0].Agent != "other" || got[0].Title != "one" || !got[0].Updated.Equal(at(3)) {
		t.Fatalf("%+v", got)
	}
	first, err := os.Stat(filepath.Join(dir, idAt(1)+suffix))
	if err != nil {
		t.Fatal(err)
	}
	if want := first.Size() + int64(len(second)); got[0].Bytes != want {
		t.Errorf("it has %d bytes, want %d", got[0].Bytes, want)
	}
}

// TestD8_OnlyTheEndsAreRead holds that what lies between does not matter.
func TestD8_OnlyTheEndsAreRead(t *testing.T) {
	dir := t.TempDir()
	b := lines(1, header(1), record.Prompt{Text: "first"})
	b = append(b, lines(3, record.Switched{Seat: record.Seat{Agent: "second"}})...)
	middle := len(b) + headBytes
	for seq := 4; len(b) < 4*headBytes; seq++ {
		b = appendLine(b, seq, said(strings.Repeat("x", 1000)))
	}
	b = append(b, lines(9000, record.Prompt{Text: "go on", Agent: "third"}, said("yes"))...)
	copy(b[middle:], make([]byte, headBytes))
	store(t, dir, idAt(1)+suffix, 1, b)
	if got := list(t, shelve(dir)); got[0].Title != "first" || got[0].Agent != "third" {
		t.Errorf("%+v", got[0])
	}
}

func TestD8_TheTitleOfALongPrompt(t *testing.T) {
	dir := t.TempDir()
	for n, first := range []string{strings.Repeat("ä", 300), "line", strings.Repeat(`\"`, 90), "👩‍👩‍👧‍👦" + strings.Repeat("e\u0301", 150), "\x01\x02", strings.Repeat("x", 5000)} {
		text := first + "\n" + strings.Repeat("y", 2*headBytes)
		object, err := record.Encode(record.Prompt{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, 2*n, record.Prompt{Text: text}) // its line is cut at the end of the head
		sum := sum64(fmt.Sprint(n))
		line := lines(2, record.Prompt{})
		line = sealed(bytes.Replace(line[:len(line)-1-sumLength], []byte(`"text":""`), fmt.Appendf(nil, `"blob":"%s","size":%d`, sum, len(object)), 1))
		store(t, dir, idAt(2*n+1)+suffix, 2*n+1, append(lines(1, header(2*n+1)), line...))
		store(t, dir, filepath.Join(idAt(2*n+1)+blobs, sum), 1, object)
		got := list(t, shelve(dir))
		if got[0].Title != got[1].Title || got[0].Title != title(text) || got[0].Title == "" {
			t.Errorf("%.10q: %q and %q, want %q", first, got[0].Title, got[1].Title, title(text))
		}
		if len(got[0].Title) > titleBytes {
			t.Errorf("a title of %d bytes", len(got[0].Title))
		}
		if got[0].Bytes < int64(len(object)) {
			t.Errorf("%d bytes are without the blob", got[0].Bytes)
		}
	}
}

func sealed(b []byte) []byte {
	return fmt.Appendf(b, ",\"c\":\"%08x\"}\n", checksum(b))
}

func TestD8_DamagedSessionsAreListed(t *testing.T) {
	dir := t.TempDir()
	whole := lines(1, header(1), record.Prompt{Text: "title"})
	for n, content := range [][]byte{nil, make([]byte, 5000), []byte("{}\nxx"), whole[:len(whole)-30], bytes.Replace(whole, []byte("title"), []byte("elite"), 1)} {
		store(t, dir, idAt(n)+suffix, n, content)
	}
	store(t, dir, "20269999-999999-aaaaaa.jsonl", 9, whole)
	got := list(t, shelve(dir))
	if len(got) != 6 {
		t.Fatalf("%d sessions", len(got))
	}
	if !got[0].Started.Equal(at(1)) || got[0].Title != "title" {
		t.Errorf("one without a time in its name: %+v", got[0])
	}
	for i, s := range got[1:] {
		if n := 4 - i; s.ID != idAt(n) || s.Title != "" || !s.Started.Equal(at(n)) || !s.Updated.Equal(at(n)) {
			t.Errorf("%+v", s)
		}
	}
}

// TestD8_TheIndexChangesNothing holds that a list with an index is that without
// one, also after sessions came, went and changed.
func TestD8_TheIndexChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := shelve(dir)
	for n := range worth + 3 {
		put(t, dir, n, record.Prompt{Text: fmt.Sprint("title ", n)})
	}
	cold := list(t, s)
	index := filepath.Join(dir, indexName)
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cold, list(t, s)); diff != "" {
		t.Fatal(diff)
	}
	put(t, dir, 2, record.Prompt{Text: "another title"})
	if err := os.Remove(filepath.Join(dir, idAt(5)+suffix)); err != nil {
		t.Fatal(err)
	}
	put(t, dir, 100, record.Prompt{Text: "new"})
	warm := list(t, s)
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list(t, s), warm); diff != "" {
		t.Fatal(diff)
	}
	for _, damaged := range [][]byte{nil, before[:len(before)-1], append(slices.Clone(before), 0), make([]byte, len(before))} {
		if err := os.WriteFile(index, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(warm, list(t, s)); diff != "" {
			t.Fatal(diff)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestD8_AnUnchangedSessionIsNotRead makes files unreadable that the index has.
func TestD8_AnUnchangedSessionIsNotRead(t *testing.T) {
	dir := t.TempDir()
	s := shelve(dir)
	for n := range worth {
		put(t, dir, n, record.Prompt{Text: "title"})
	}
	list(t, s)
	for n := range worth {
		path := filepath.Join(dir, idAt(n)+suffix)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		store(t, dir, idAt(n)+suffix, n, make([]byte, info.Size()))
	}
	for _, sum := range list(t, s) {
		if sum.Title != "title" {
			t.Fatalf("%s was read again", sum.ID)
		}
	}
}

func TestSES3_ListStreams(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		put(t, dir, n, record.Prompt{Text: "title"})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for sum, err := range shelve(dir).List(ctx) {
		switch n++; n {
		case 1:
			cancel()
		case 2:
			if !errors.Is(err, context.Canceled) || sum.ID != "" {
				t.Errorf("after cancel came %+v, %v", sum, err)
			}
		default:
			t.Fatal("the list goes on")
		}
	}
	for range shelve(dir).List(context.Background()) {
		break
	}
	for _, err := range shelve(filepath.Join(dir, "none")).List(context.Background()) {
		t.Errorf("a folder that is not there has %v", err)
	}
	store(t, dir, "file", 1, nil)
	if _, _, err := shelve(filepath.Join(dir, "file")).Latest(context.Background(), ""); err == nil {
		t.Error("a file is no folder")
	}
}

func TestD8_IndexRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known, all := summaries{}, []*stored(nil)
		for n := range rapid.IntRange(0, 5).Draw(t, "sessions") {
			i := indexed{size: rapid.Int64().Draw(t, "size"), changed: rapid.Int64().Draw(t, "changed")}
			i.ID, i.Title, i.Agent, i.Dir = idAt(n), rapid.String().Draw(t, "title"), rapid.String().Draw(t, "agent"), string(rapid.SliceOf(rapid.Byte()).Draw(t, "dir"))
			i.Bytes, i.Started = rapid.Int64().Draw(t, "bytes"), at(rapid.IntRange(0, 1<<20).Draw(t, "started"))
			known[i.ID] = i
			all = append(all, &stored{id: i.ID})
		}
		got, ok := decodeIndex(encodeIndex(all, known))
		if diff := cmp.Diff(known, got, cmp.AllowUnexported(indexed{})); !ok || diff != "" {
			t.Fatal(ok, diff)
		}
	})
}

func FuzzIndex(f *testing.F) {
	id := idAt(1)
	f.Add(encodeIndex([]*stored{{id: id}}, summaries{id: {Summary: record.Summary{ID: id, Title: "t"}}})[len(indexMagic):])
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeIndex(b)
		b = append([]byte(indexMagic), b...)
		decodeIndex(fmt.Appendf(b, "%s", sum32(b)))
	})
}

func FuzzSummary(f *testing.F) {
	whole := lines(1, header(1), record.Prompt{Text: "title\n", Agent: "a"}, record.Switched{Seat: record.Seat{Agent: "b"}})
	f.Add(whole)
	f.Add(whole[:100])
	f.Add([]byte(`{"v":1,"seq":1,"t":"","k":"prompt","text":"\ud83d\ude`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, of := shelve("none"), &stored{id: idAt(1)}
		var sum record.Summary
		s.begin(&sum, of, b, false)
		lastAgent(b)
		if len(sum.Title) > titleBytes || strings.ContainsAny(sum.Title, "\n\r\x1b") {
			t.Fatalf("a title of %d bytes: %q", len(sum.Title), sum.Title)
		}
	})
}

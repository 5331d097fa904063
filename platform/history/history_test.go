package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func at() time.Time { return time.Date(2026, 11, 21, 6, 23, 16, 0, time.UTC) }

func begin(path string) *History {
	return New(Options{Path: path, Go: func(f func()) { go f() }, Now: at})
}

func flush(t testing.TB, h *History) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "history.jsonl") }

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSES4_PromptsPersistPerAgentAndFolder(t *testing.T) {
	path := file(t)
	h := begin(path)
	h.Add("a", "/x", "one")
	h.Add("b", "/x", "other agent")
	h.Add("a", "/y", "other folder")
	h.Add("a", "/x", "two\nlines")
	same(t, h.Load("a", "/x"), "one", "two\nlines")
	flush(t, h)
	again := begin(path)
	same(t, again.Load("a", "/x"), "one", "two\nlines")
	same(t, again.Load("b", "/x"), "other agent")
	same(t, again.Load("a", "/y"), "other folder")
	same(t, again.Load("b", "/y"))
	want := `{"t":"2026-11-21T06:23:16Z","agent":"a","dir":"/x","text":"one"}` + "\n"
	if got := content(t, path); !strings.HasPrefix(got, want) {
		t.Errorf("the file begins %.100q", got)
	}
}

func TestSES4_SecretsAndRepetitionsAreNotStored(t *testing.T) {
	path := file(t)
	h := begin(path)
	for _, text := range []string{"", " ", "\n", "\t", " export KEY=hunter2", "\thunter2", "\u00a0hunter2", "a", "a", "b", "a"} {
		h.Add("a", "/", text)
	}
	h.Add("b", "/", "x")
	h.Add("a", "/", "a")
	flush(t, h)
	same(t, begin(path).Load("a", "/"), "a", "b", "a")
	if got := content(t, path); strings.Contains(got, "hunter2") || strings.Count(got, "\n") != 4 {
		t.Errorf("the file has %q", got)
	}
	// The newest one may be of another desk.
	other := begin(path)
	other.Add("a", "/", "a")
	flush(t, other)
	same(t, h.Load("a", "/"), "a", "b", "a")
	if got := strings.Count(content(t, path), "\n"); got != 4 {
		t.Errorf("the file has %d lines", got)
	}
}

func TestSES4_LoadCollapsesWhatTwoDesksSaid(t *testing.T) {
	path := file(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, text := range []string{"a", "a", "b", "b", "a"} {
		b.Write(entry{seat{"a", "/"}, at(), text}.line())
		b.Write(entry{seat{"b", "/"}, at(), "x"}.line())
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, begin(path).Load("a", "/"), "a", "b", "a")
}

func TestSES4_AtMostSoManyAreOffered(t *testing.T) {
	path := file(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for i := range core.HistoryEntries + 5 {
		b.Write(entry{seat{"a", "/"}, at(), fmt.Sprint(i)}.line())
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := begin(path).Load("a", "/")
	if len(got) != core.HistoryEntries || got[0] != "5" || got[len(got)-1] != fmt.Sprint(core.HistoryEntries+4) {
		t.Errorf("%d of them, from %q to %q", len(got), got[0], got[len(got)-1])
	}
}

// TestSES4_EveryByteComesBack holds that texts, agents and folders come back as
// they were, also when they are no UTF-8.
func TestSES4_EveryByteComesBack(t *testing.T) {
	path := file(t)
	anything := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }), rapid.SampledFrom([]string{`a","dir":"`, `\`, "ü", "\xff", `"`, "<&>\u2028", "\ufffd"}))
	rapid.Check(t, func(rt *rapid.T) {
		who, text := seat{anything.Draw(rt, "agent"), anything.Draw(rt, "dir")}, "x"+anything.Draw(rt, "text")
		line := entry{who, at(), text}.line()
		if bytes.Count(line, []byte{'\n'}) != 1 {
			rt.Fatalf("%q is no line", line)
		}
		got := slices.Collect(backward(line, who))
		if len(got) != 1 || got[0] != text {
			rt.Fatalf("%q came back as %q", text, got)
		}
		if got := slices.Collect(backward(line, seat{who.agent + "x", who.dir})); got != nil {
			rt.Fatalf("another agent got %q", got)
		}
	})
	h := begin(path)
	h.Add("\xff", "/\xfe", "x\xfd\x00")
	flush(t, h)
	same(t, begin(path).Load("\xff", "/\xfe"), "x\xfd\x00")
}

func TestSES4_NoFileIsNoHistory(t *testing.T) {
	same(t, begin(file(t)).Load("a", "/"))
	dir := t.TempDir()
	same(t, begin(dir).Load("a", "/"))
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, entry{seat{"a", "/"}, at(), "x"}.line(), 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, begin(target).Load("a", "/"), "x")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here")
	}
	h := begin(link)
	same(t, h.Load("a", "/"))
	h.Add("a", "/", "y")
	if err := h.Flush(context.Background()); !errors.Is(err, errLink) {
		t.Errorf("a link was followed: %v", err)
	}
	same(t, h.Load("a", "/"), "y") // it is held
}

func TestSES4_NobodyElseMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	path := file(t)
	h := begin(path)
	h.Add("a", "/", "x")
	flush(t, h)
	for name, want := range map[string]fs.FileMode{path: 0o600, path + ".lock": 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o", filepath.Base(name), got)
		}
	}
}

// TestSES4_ATornLineHarmsNoOther cuts the file at every byte and adds to it.
func TestSES4_ATornLineHarmsNoOther(t *testing.T) {
	first := entry{seat{"a", "/"}, at(), "first"}.line()
	second := entry{seat{"a", "/"}, at(), "second"}.line()
	dir := t.TempDir()
	for n := range len(second) + 1 {
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, slices.Concat(first, second[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{"first"}
		if n >= len(second)-1 { // all but the line end
			want = append(want, "second")
		}
		h := begin(path)
		same(t, h.Load("a", "/"), want...)
		h.Add("a", "/", "third")
		flush(t, h)
		same(t, h.Load("a", "/"), append(want, "third")...)
	}
}

func TestSES4_DamagedLinesArePassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	good := string(entry{seat{"a", "/"}, at(), "good"}.line())
	if err := os.WriteFile(path, []byte("\x00\x00\n{\n\n"+good+"{\"agent\":\"a\",\"dir\":\"/\"}\n[]\n"+strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, begin(path).Load("a", "/"), "good")
}

// TestSES4_TwoDesksWriteAtOnce holds that nothing is lost, torn or out of order
// while the file is cut again and again.
func TestSES4_TwoDesksWriteAtOnce(t *testing.T) {
	path := file(t)
	const each = 200
	filler := strings.Repeat("x", 40<<10) // 2 × 200 × 40 KiB: it is cut many times
	var wg sync.WaitGroup
	for desk := range 2 {
		wg.Go(func() {
			h := begin(path)
			for i := range each {
				h.Add("a", fmt.Sprint(desk), fmt.Sprint(i, " ", filler))
				if i%10 == 0 {
					flush(t, h)
				}
			}
			flush(t, h)
		})
	}
	wg.Wait()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > core.HistoryBytes {
		t.Errorf("the file has %d bytes", info.Size())
	}
	for line := range strings.Lines(content(t, path)) {
		if !strings.HasPrefix(line, `{"t":"`) || !strings.HasSuffix(line, "\"}\n") {
			t.Errorf("a torn line: %.80q", line)
		}
	}
	for desk := range 2 {
		got := begin(path).Load("a", fmt.Sprint(desk))
		for i, text := range got {
			if want := each - len(got) + i; !strings.HasPrefix(text, fmt.Sprint(want, " ")) {
				t.Fatalf("desk %d: prompt %d is %.10q, want %d", desk, i, text, want)
			}
		}
	}
}

func TestSES4_TheFileIsCutToItsNewestHalf(t *testing.T) {
	path := file(t)
	h := begin(path)
	big := strings.Repeat("y", core.HistoryBytes/4)
	for i := range 5 {
		h.Add("a", "/", fmt.Sprint(i, big))
		flush(t, h)
	}
	got := h.Load("a", "/")
	if len(got) != 2 && len(got) != 3 || got[len(got)-1] != fmt.Sprint(4, big) {
		t.Errorf("%d prompts are left", len(got))
	}
	if _, err := os.Stat(path + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file is left: %v", err)
	}
	h.Add("a", "/", strings.Repeat("z", core.HistoryBytes))
	h.Add("a", "/", "after")
	flush(t, h)
	if got := begin(path).Load("a", "/"); got[len(got)-1] != "after" || strings.HasPrefix(got[len(got)-2], "z") {
		t.Error("a prompt that is too long was stored")
	}
}

func TestSES4_WhatCannotBeWrittenIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state", "history.jsonl")
	if err := os.WriteFile(filepath.Join(dir, "state"), nil, 0o600); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	h := begin(path)
	h.Add("a", "/", "one")
	if err := h.Flush(context.Background()); err == nil {
		t.Fatal("it was written into a file as if that were a folder")
	}
	same(t, h.Load("a", "/"), "one")
	if err := os.Remove(filepath.Join(dir, "state")); err != nil {
		t.Fatal(err)
	}
	h.Add("a", "/", "two")
	flush(t, h)
	same(t, begin(path).Load("a", "/"), "one", "two")
}

// TestSES4_AddNeverWaits adds while nothing is written at all.
func TestSES4_AddNeverWaits(t *testing.T) {
	var start []func()
	h := New(Options{Path: file(t), Now: at, Go: func(f func()) { start = append(start, f) }})
	for i := range core.HistoryEntries + 10 {
		h.Add("a", "/", fmt.Sprint(i))
	}
	if len(start) != 1 {
		t.Fatalf("%d goroutines were started", len(start))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Flush did not end with its context: %v", err)
	}
	if got := h.Load("a", "/"); len(got) != core.HistoryEntries || got[0] != "10" {
		t.Errorf("%d are held, from %q", len(got), got[0])
	}
	if testing.Short() {
		return
	}
	start[0]()
	flush(t, h)
	if got := begin(h.o.Path).Load("a", "/"); len(got) != core.HistoryEntries {
		t.Errorf("%d were written", len(got))
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(entry{seat{"a", "/"}, at(), "text"}.line())
	f.Add(entry{seat{"\xff", "/"}, at(), "te\xffxt"}.line())
	f.Add([]byte(`{"t":"","agent":"\u0061","dir":"/","text":"x"}` + "\n{}\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, who := range []seat{{"a", "/"}, {"\xff", "/"}} {
			for text := range backward(data, who) {
				if text == "" {
					t.Fatal("an empty prompt")
				}
			}
		}
		whole := slices.Concat(data, []byte{'\n'}, entry{seat{"a", "/"}, at(), "new"}.line())
		for text := range backward(whole, seat{"a", "/"}) {
			if text != "new" {
				t.Fatalf("the newest is %q", text)
			}
			break
		}
		// What is passed over quickly would be passed over slowly.
		for line := range bytes.Lines(data) {
			if who := (seat{"a", "/"}); another(line, who) && strings.Contains(string(line), `"agent":"a","dir":"/","text"`) && bytes.Count(line, []byte(`"agent"`)) == 1 {
				t.Fatalf("%q was passed over", line)
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "h")
	var buf bytes.Buffer
	for i := 0; buf.Len() < core.HistoryBytes; i++ {
		buf.Write(entry{seat{"a", fmt.Sprint("/", i%20)}, at(), fmt.Sprint("prompt ", i, strings.Repeat(" word", 20))}.line())
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	h := begin(path)
	b.ReportAllocs()
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		h.Load("a", "/3")
	}
}

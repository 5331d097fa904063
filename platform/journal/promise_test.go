package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
)

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (d *ram) count(k kind) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, o := range d.log {
		if o.kind == k {
			n++
		}
	}
	return n
}

func TestR1_TextWaitsForAQuarterSecond(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	if n := d.count(opSync); n != 1 {
		t.Errorf("%d syncs for a prompt", n)
	}
	j.Append(text("a"))
	r.clock.Advance(core.JournalJoin - 1)
	r.rest()
	if got, _ := r.stored(j.ID()); joinedText(got) != "" {
		t.Error("it was written at once")
	}
	j.Append(text("b"))
	r.clock.Advance(1)
	r.rest()
	if got, _ := r.stored(j.ID()); joinedText(got) != "ab" {
		t.Errorf("%q is written after a quarter of a second", joinedText(got))
	}
	r.clock.Advance(core.JournalSync)
	r.rest()
	if n := d.count(opSync); n != 2 {
		t.Errorf("%d syncs after a second", n)
	}
	if n := r.clock.timers(); n != 0 {
		t.Errorf("%d timers run although all is saved", n)
	}
	writes := d.count(opWrite)
	j.Append(text(strings.Repeat("x", core.JournalJoinBytes)))
	r.rest()
	if d.count(opWrite) != writes+1 {
		t.Error("much text waits")
	}
	j.Append(record.Ended{})
	r.rest()
	if n := d.count(opSync); n != 3 {
		t.Errorf("%d syncs after the end of a turn", n)
	}
	if h := j.Health(); !h.Saved.Equal(r.clock.Now()) || h.Failing != "" {
		t.Error(h)
	}
	r.close(j)
}

func TestD4_OneWriteHasAtMost64KiB(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	for range 500 {
		j.Append(record.Note{Text: strings.Repeat("n", 1000)})
	}
	j.Append(record.Note{Text: strings.Repeat("n", 100_000)})
	r.sync(j)
	r.close(j)
	for _, o := range d.log {
		if len(o.data) > core.JournalBatch && len(o.data) < 100_000 {
			t.Errorf("a write of %d bytes", len(o.data))
		}
	}
	if n := d.count(opWrite); n > 16 {
		t.Errorf("%d writes", n)
	}
}

func TestR21_TheDiskIsFull(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	d.room = 1000
	var want strings.Builder
	for i := range 200 {
		s := fmt.Sprintf("%d ", i)
		want.WriteString(s)
		j.Append(text(s))
		j.Append(record.Said{Event: session.Break{}})
	}
	before := r.changes()
	r.clock.Advance(time.Second)
	r.rest()
	h := j.Health()
	if h.Failing != "Nothing is saved: no space left on the disk. Make room; the work goes on and is saved then." || h.Since.IsZero() || r.changes() == before {
		t.Fatalf("%+v, told %d times", h, r.changes()-before)
	}
	j.Append(record.Prompt{Text: "meanwhile"})
	want.WriteString("more")
	j.Append(text("more"))
	if err := j.Sync(context.Background()); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	r.rest()
	if got := records(t, j); joinedText(got) != want.String() {
		t.Errorf("%q in memory", joinedText(got))
	}
	d.mu.Lock()
	d.room = -1
	d.mu.Unlock()
	r.clock.Advance(core.JournalRetry)
	r.rest()
	if h := j.Health(); h.Failing != "" {
		t.Error(h)
	}
	got, skipped := r.stored(j.ID())
	if joinedText(got) != want.String() || skipped != (record.Skipped{}) {
		t.Errorf("%q, skipped %v", joinedText(got), skipped)
	}
	ordered(t, got)
	r.close(j)
	if n := len(d.names); n != 1 {
		t.Errorf("%d files", n)
	}
}

func TestR21_WhatWaitsIsBounded(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	d.room = 0
	piece := strings.Repeat("x", 1<<20)
	j.Append(text("x"))
	r.clock.Advance(time.Second)
	r.rest()
	for range 40 {
		j.Append(text(piece))
	}
	for i := range 100 {
		j.Append(record.Prompt{Text: fmt.Sprint(i)})
		j.Append(text(piece))
		j.Append(record.Said{Event: session.ToolCall{ID: "1", Status: session.Done, Chunk: piece}})
	}
	j.mu.Lock()
	pending := j.pending
	j.mu.Unlock()
	if pending > core.JournalPending+1<<20 {
		t.Errorf("%d bytes wait", pending)
	}
	d.room = -1
	r.clock.Advance(core.JournalRetry)
	r.rest()
	all, _ := r.stored(j.ID())
	dropped, prompts, done := int64(0), 0, 0
	for _, rec := range all {
		switch e := rec.Entry.(type) {
		case record.Dropped:
			dropped += e.Bytes
		case record.Prompt:
			prompts++
		case record.Said:
			if _, ok := e.Event.(session.ToolCall); ok {
				done++
			}
		}
	}
	if total := dropped + int64(len(joinedText(all))); total != 140<<20+1+100<<20 || prompts != 101 || done != 100 {
		t.Errorf("%d bytes, %d prompts, %d ends of a tool", total, prompts, done)
	}
	r.close(j)
}

func TestR8_OneTurnsTextIsBounded(t *testing.T) {
	r := newRig(t, newRAM(t))
	j := r.begin()
	piece := strings.Repeat("x", 1<<20)
	for range core.JournalTurnBytes>>20 + 3 {
		j.Append(text(piece))
		r.rest()
	}
	j.Append(record.Ended{})
	j.Append(record.Prompt{Text: "next"})
	j.Append(text("short"))
	r.sync(j)
	all, _ := r.stored(j.ID())
	got := kinds(all)[len(all)-4:]
	if diff := cmp.Diff([]string{"dropped", "ended", "prompt", "text"}, got); diff != "" {
		t.Error(diff)
	}
	if e := all[len(all)-4].Entry; e != (record.Dropped{Bytes: 3 << 20}) {
		t.Error(e)
	}
	r.close(j)
}

func TestR22_AfterAFailedSyncAnotherSegment(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	fails := 4
	d.fault = func(o op) (error, bool) {
		if o.kind == opSync && fails > 0 {
			fails--
			return syscall.EIO, false
		}
		return nil, false
	}
	j.Append(text("a"))
	j.Append(record.Prompt{Text: "two"})
	if err := j.Sync(context.Background()); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	r.rest()
	if h := j.Health(); !strings.HasPrefix(h.Failing, "Nothing is saved: the disk fails.") {
		t.Error(h.Failing)
	}
	for range 2 {
		r.clock.Advance(core.JournalRetry)
		r.rest()
	}
	j.Append(text("b"))
	r.clock.Advance(core.JournalRetry)
	r.rest()
	if h := j.Health(); h.Failing != "" {
		t.Error(h)
	}
	r.close(j)
	all, skipped := r.stored(j.ID())
	if diff := cmp.Diff([]string{"header", "opened", "prompt", "text", "prompt", "text"}, kinds(all)); diff != "" || skipped.Records != 0 {
		t.Error(diff, skipped)
	}
	if n := len(d.names); n != 2 {
		t.Errorf("%d files: %s", n, d.list())
	}
}

// TestR25_TheFileIsChangedByAnother deletes, moves, replaces and cuts the file
// of a session that is open.
func TestR25_TheFileIsChangedByAnother(t *testing.T) {
	foreign := []byte("somebody else's\n")
	for name, c := range map[string]struct {
		do   func(path string) error
		lost bool // what was in the file
	}{
		"deleted":         {os.Remove, false},
		"moved":           {func(p string) error { return os.Rename(p, p+".old") }, false},
		"replaced":        {func(p string) error { _ = os.Remove(p); return os.WriteFile(p, foreign, 0o600) }, false},
		"cut":             {func(p string) error { return os.Truncate(p, 100) }, true},
		"written":         {func(p string) error { return os.WriteFile(p, foreign, 0o600) }, true},
		"folder deleted":  {func(p string) error { return os.RemoveAll(filepath.Dir(p)) }, false},
		"folder replaced": {func(p string) error { return os.Rename(filepath.Dir(p), filepath.Dir(p)+"2") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			j := r.begin()
			j.Append(text("a"))
			r.sync(j)
			path := r.path(segmentName(j.ID(), 1))
			if err := c.do(path); err != nil {
				t.Skip(err) // not every system does that to a file that is open
			}
			j.Append(text("b"))
			j.Append(record.Prompt{Text: "two"})
			r.sync(j)
			j.Append(record.Prompt{Text: "three"})
			r.sync(j)
			if h := j.Health(); h.Failing != "" {
				t.Error(h)
			}
			r.close(j)
			all, _ := r.stored(j.ID())
			got := strings.Join(kinds(all), " ")
			want := "header opened prompt text text prompt prompt"
			if c.lost {
				want = "header text prompt prompt"
			}
			if got != want {
				t.Errorf("%s is there", got)
			}
			if content, err := os.ReadFile(path); (name == "replaced" || name == "written") && (err != nil || !strings.HasPrefix(string(content), string(foreign))) {
				t.Errorf("%q %v", content, err)
			}
			if name == "replaced" {
				if content, _ := os.ReadFile(path); string(content) != string(foreign) {
					t.Errorf("it was written to somebody else's file: %q", content)
				}
			}
			k := r.open(j.ID())
			r.close(k)
		})
	}
}

func TestR25_TheFirstFileIsBroughtBack(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	r.most = 100
	j := r.begin()
	r.sync(j)
	j.Append(record.Prompt{Text: "two"})
	r.sync(j)
	first := r.path(segmentName(j.ID(), 1))
	if err := d.Remove(first); err != nil {
		t.Fatal(err)
	}
	j.Append(record.Prompt{Text: "three"})
	r.sync(j)
	var held *Held
	if _, err := r.again().Open(j.ID()); !errors.As(err, &held) {
		t.Errorf("opened twice: %v", err)
	}
	if got, _ := r.stored(j.ID()); len(told(got)) != 3 {
		t.Error(told(got))
	}
	r.close(j)
}

func TestR51_ADiskThatHangs(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	hang := make(chan struct{})
	d.mu.Lock()
	d.hang = hang
	d.mu.Unlock()
	since := r.clock.Now()
	timers := r.clock.timers()
	j.Append(record.Prompt{Text: "two"})
	done := make(chan error)
	go func() { done <- j.Sync(context.Background()) }()
	until(t, "it waits", func() bool { return r.clock.timers() == timers+2 })
	r.clock.Advance(core.JournalWait)
	if err := <-done; !errors.Is(err, errStalled) {
		t.Error(err)
	}
	j.Append(record.Prompt{Text: "three"})
	before := r.changes()
	r.clock.Advance(core.JournalStalled)
	until(t, "it is told", func() bool { return r.changes() > before })
	want := "Not saved since " + since.Local().Format(time.TimeOnly) + ": the disk does not answer. The work goes on and is saved when it does."
	if h := j.Health(); h.Failing != want {
		t.Error(h.Failing)
	}
	if err := j.Sync(context.Background()); !errors.Is(err, errStalled) {
		t.Error(err)
	}
	if got := records(t, j); len(told(got)) != 3 {
		t.Error(told(got))
	}
	d.mu.Lock()
	d.hang = nil
	d.mu.Unlock()
	close(hang)
	r.rest()
	r.clock.Advance(core.JournalSync)
	r.rest()
	if h := j.Health(); h.Failing != "" {
		t.Error(h)
	}
	r.close(j)
	if got, _ := r.stored(j.ID()); len(told(got)) != 3 {
		t.Error(told(got))
	}
}

func TestR51_CloseDoesNotWaitForever(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	hang := make(chan struct{})
	d.mu.Lock()
	d.hang = hang
	d.mu.Unlock()
	done := make(chan error)
	go func() { done <- j.Close() }()
	until(t, "it waits", func() bool {
		j.mu.Lock()
		closing := j.closing
		j.mu.Unlock()
		return closing && r.clock.timers() == 1
	})
	r.clock.Advance(core.JournalWait)
	if err := <-done; !errors.Is(err, errStalled) {
		t.Error(err)
	}
	close(hang)
	r.rest()
	r.close(j)
}

func TestR23_AFolderThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, nil)
	r.o.Dir = filepath.Join(dir, "file", "sessions")
	j := r.begin()
	if err := j.Sync(context.Background()); err == nil {
		t.Error("it was saved in a file")
	}
	r.rest()
	if h := j.Health(); !strings.HasPrefix(h.Failing, "Nothing is saved: ") || !strings.HasSuffix(h.Failing, ".") {
		t.Error(h)
	}
	if got := records(t, j); len(got) != 3 {
		t.Error(kinds(got))
	}
	if err := j.Close(); err == nil {
		t.Error("nobody was told at the end")
	}
	r.rest()
	if r.clock.timers() != 0 {
		t.Error("a timer runs after the end")
	}
}

func TestD2_LinksAreNotFollowed(t *testing.T) {
	r := newRig(t, nil)
	j := r.begin()
	r.close(j)
	path := r.path(segmentName(j.ID(), 1))
	if err := os.Rename(path, path+".x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+".x", path); err != nil {
		t.Skip(err)
	}
	if _, err := r.Open(j.ID()); !errors.Is(err, errLink) {
		t.Errorf("opened: %v", err)
	}
	seq, _ := r.Read(context.Background(), j.ID())
	for _, err := range seq {
		if !errors.Is(err, errLink) {
			t.Errorf("read: %v", err)
		}
	}
	for _, id := range []string{"", "../../etc/passwd", "20261121-062316-../..", j.ID() + "x", strings.ToUpper(j.ID())} {
		if _, err := r.Open(id); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestD2_OnlyTheUserReadsIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are others there")
	}
	r := newRig(t, nil)
	j := r.begin()
	j.Append(record.Note{Text: strings.Repeat("n", core.BlobBytes)})
	j.Keep(record.Draft{Input: "x"})
	r.close(j)
	err := filepath.WalkDir(r.o.Dir, func(path string, e fs.DirEntry, err error) error {
		info, _ := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(j.ID()); err != nil || len(r.names()) != 0 {
		t.Error(err, r.names())
	}
}

func TestR37_ANameThatIsTakenIsLeftAlone(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.Create(record.Seat{})
	old := j.ID()
	path := r.path(segmentName(old, 1))
	d.dirs[r.o.Dir] = true
	d.names[path] = &inode{data: []byte("theirs")}
	j.Append(record.Header{ID: old})
	j.Append(record.Prompt{Text: "x"})
	r.sync(j)
	r.close(j)
	all, _ := r.stored(j.ID())
	if j.ID() == old || string(d.names[path].data) != "theirs" || all[0].Entry.(record.Header).ID != j.ID() || len(all) != 3 {
		t.Error(j.ID(), old, kinds(all))
	}
}

func TestSES4_TheDraftIsKept(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	r.sync(j)
	writes := d.count(opRename)
	for i := range 20 {
		j.Keep(record.Draft{Input: strings.Repeat("x", i), Queue: []string{"later"}})
		r.clock.Advance(core.DraftAfter / 20)
		r.rest()
	}
	r.clock.Advance(core.DraftAfter)
	r.rest()
	if n := d.count(opRename) - writes; n < 1 || n > 2 {
		t.Errorf("%d times written", n)
	}
	j.Keep(record.Draft{Input: "last"})
	r.close(j)
	again := r.again()
	j = again.open(j.ID())
	if diff := cmp.Diff(record.Draft{Input: "last"}, j.Draft()); diff != "" {
		t.Error(diff)
	}
	// A draft that cannot be written does not hold up the records.
	d.mu.Lock()
	d.fault = func(o op) (error, bool) {
		if strings.Contains(o.path, "draft") {
			return syscall.EACCES, false
		}
		return nil, false
	}
	d.mu.Unlock()
	j.Keep(record.Draft{Input: "lost"})
	again.clock.Advance(core.DraftAfter)
	again.rest()
	j.Append(record.Prompt{Text: "x"})
	again.sync(j)
	if h := j.Health(); !strings.HasPrefix(h.Failing, "What you write is not saved") {
		t.Error(h)
	}
	d.mu.Lock()
	d.fault = nil
	d.mu.Unlock()
	again.clock.Advance(core.JournalRetry)
	again.rest()
	if h := j.Health(); h.Failing != "" {
		t.Error(h)
	}
	again.close(j)
}

func TestSES3_RecordsWhileOthersAppend(t *testing.T) {
	r := newRig(t, nil)
	j := r.begin()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			j.Append(text(fmt.Sprintf("%d ", i)))
			if i%30 == 0 {
				_ = j.Sync(context.Background())
			}
		}
	}()
	for range 30 {
		got := records(t, j)
		ordered(t, got)
		words := strings.Fields(joinedText(got))
		for i, w := range words {
			if w != fmt.Sprint(i) {
				t.Fatalf("word %d is %q", i, w)
			}
		}
	}
	<-done
	r.close(j)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range j.Records(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

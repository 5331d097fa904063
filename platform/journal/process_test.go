package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/record"
)

// hasty is the real disk without waiting for it: what a killed program wrote is
// there in any case.
type hasty struct{ disk }

type hastyFile struct{ file }

func (h hasty) Open(path string, flag int) (file, error) {
	f, err := h.disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return hastyFile{f}, nil
}

func (hasty) SyncDir(string) error { return nil }
func (hastyFile) Sync() error      { return nil }

// realStore is a store with real time.
func realStore(dir string) *Store {
	s := New(Options{
		Dir: dir, Program: "1.0", Now: time.Now,
		After: func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		},
		Go: func(f func()) { go f() },
	})
	s.disk = hasty{}
	return s
}

// play is what another process does.
func play(role string) int {
	dir, id := os.Getenv("COPYDESK_JOURNAL_DIR"), os.Getenv("COPYDESK_JOURNAL_ID")
	count, _ := strconv.Atoi(os.Getenv("COPYDESK_JOURNAL_COUNT"))
	s := realStore(dir)
	var err error
	switch role {
	case "stream":
		err = stream(s)
	case "fight":
		err = fight(s, id, count)
	case "many":
		err = many(s, count)
	case "hold":
		var j *Journal
		if j, err = s.Open(id); err == nil {
			err = j.Sync(context.Background())
			fmt.Println("held")
			select {}
		}
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

func child(t testing.TB, role, dir, id string, count int) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "COPYDESK_JOURNAL_ROLE="+role, "COPYDESK_JOURNAL_DIR="+dir, "COPYDESK_JOURNAL_ID="+id, "COPYDESK_JOURNAL_COUNT="+strconv.Itoa(count), "GORACE=atexit_sleep_ms=0")
	return c
}

// stream is a turn that never ends: text, prompts and decisions. Each line it
// prints is something it did: "text N MILLISECONDS" before it appends, "kept N"
// once a prompt or a decision was said to be on the disk.
func stream(s *Store) error {
	j := s.Create(record.Seat{Agent: "echo"})
	j.Append(record.Header{ID: j.ID()})
	begun := time.Now()
	fmt.Println("id", j.ID())
	for n := 0; ; n++ {
		if n%10 == 0 {
			var e record.Entry = record.Prompt{Text: strconv.Itoa(n)}
			if n%20 == 0 && n > 0 {
				e = record.Decided{Said: strconv.Itoa(n)}
			}
			if n%40 == 30 {
				j.Append(record.Ended{})
			}
			j.Append(e)
			if err := j.Sync(context.Background()); err != nil {
				return err
			}
			fmt.Println("kept", n)
		}
		fmt.Println("text", n, time.Since(begun).Milliseconds())
		j.Append(text(fmt.Sprintf("#%06d ", n)))
		if n%7 == 0 {
			time.Sleep(15 * time.Millisecond)
		}
	}
}

func fight(s *Store, id string, count int) error {
	for n := range count {
		for {
			j, err := s.Open(id)
			var held *Held
			if errors.As(err, &held) {
				continue
			}
			if err != nil {
				return err
			}
			j.Append(record.Note{Text: fmt.Sprintf("%d %d", os.Getpid(), n)})
			if err := j.Close(); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func many(s *Store, count int) error {
	for range count {
		j := s.Create(record.Seat{Agent: "echo"})
		j.Append(record.Header{ID: j.ID()})
		j.Append(record.Prompt{Text: "x"})
		if err := j.Close(); err != nil {
			return err
		}
	}
	return nil
}

func from(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// TestR1_KilledAtAnyMoment kills a program that streams and looks at what it
// left.
func TestR1_KilledAtAnyMoment(t *testing.T) {
	loops := from("COPYDESK_CRASH_LOOPS", 30)
	if testing.Short() {
		loops = 4
	}
	slots := make(chan struct{}, 6)
	var all sync.WaitGroup
	for range loops {
		slots <- struct{}{}
		all.Add(1)
		go func() {
			defer func() { <-slots; all.Done() }()
			killed(t, t.TempDir(), time.Duration(rand.IntN(900))*time.Millisecond)
		}()
	}
	all.Wait()
}

func killed(t *testing.T, dir string, after time.Duration) {
	c := child(t, "stream", dir, "", 0)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	var id, last string
	said, kept := map[int]int{}, []string{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id == "" {
			time.AfterFunc(after, func() { _ = c.Process.Kill() })
		}
		f := strings.Fields(lines.Text())
		switch {
		case f[0] == "id":
			id = f[1]
		case f[0] == "kept" && len(f) == 2:
			kept = append(kept, f[1])
		case f[0] == "text" && len(f) == 3:
			n, _ := strconv.Atoi(f[1])
			if ms, err := strconv.Atoi(f[2]); err == nil {
				said[n] = ms
				last = f[2]
			}
		case f[0] == "error":
			t.Error(lines.Text())
		}
	}
	_ = c.Wait()
	if len(kept) == 0 {
		return // it was killed before it said anything
	}
	s := realStore(dir)
	j, err := s.Open(id)
	if err != nil {
		t.Error(err)
		return
	}
	got := records(t, j)
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if n := j.Skipped().Records; n > 1 {
		t.Errorf("%d records are damaged", n)
	}
	var there []string
	for _, r := range got {
		switch e := r.Entry.(type) {
		case record.Prompt:
			there = append(there, e.Text)
		case record.Decided:
			there = append(there, e.Said)
		}
	}
	if len(there) < len(kept) || strings.Join(there[:len(kept)], " ") != strings.Join(kept, " ") {
		t.Errorf("%v is there of %v", there, kept)
	}
	words := strings.Fields(joinedText(got))
	for i, w := range words {
		if w != fmt.Sprintf("#%06d", i) {
			t.Errorf("word %d is %q", i, w)
			break
		}
	}
	// A busy machine runs timers late; that text waits for 250 ms and no longer
	// is held with a clock of our own in TestR1_TextWaitsForAQuarterSecond.
	const late = time.Second
	end, _ := strconv.Atoi(last)
	if ms, lost := said[len(words)]; lost && time.Duration(end-ms)*time.Millisecond > late {
		t.Errorf("the text of the last %d ms is lost", end-ms)
	}
}

func TestC7_R36_TwoProcessesFightForASession(t *testing.T) {
	fights := from("COPYDESK_LOCK_FIGHTS", 1000)
	if testing.Short() {
		fights = 50
	}
	dir := t.TempDir()
	s := realStore(dir)
	if err := many(s, 1); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	id := strings.TrimSuffix(all[0].Name(), ".jsonl")
	var both sync.WaitGroup
	for range 2 {
		both.Add(1)
		go func() {
			defer both.Done()
			if out, err := child(t, "fight", dir, id, fights/2).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}()
	}
	both.Wait()
	seq, skipped := s.Read(context.Background(), id)
	next, notes, openings := uint64(1), map[string]bool{}, 0
	for r, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq != next {
			t.Fatalf("record %d stands in place of %d", r.Seq, next)
		}
		next++
		switch e := r.Entry.(type) {
		case record.Note:
			notes[e.Text] = true
		case record.Opened:
			openings++
		}
	}
	if len(notes) != fights/2*2 || openings != fights/2*2+1 || skipped() != (record.Skipped{}) {
		t.Errorf("%d notes, %d openings, skipped %v", len(notes), openings, skipped())
	}
}

// TestR36_R47_AHolderIsNamedAndItsDeathFreesTheSession holds a session in
// another process.
func TestR36_R47_AHolderIsNamedAndItsDeathFreesTheSession(t *testing.T) {
	r := newRig(t, nil)
	j := r.begin()
	r.close(j)
	c := child(t, "hold", r.o.Dir, j.ID(), 0)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	for _, try := range []func() error{
		func() error { _, err := r.Open(j.ID()); return err },
		func() error { return r.Remove(j.ID()) },
	} {
		var held *Held
		if err := try(); !errors.As(err, &held) || held.PID != c.Process.Pid || held.Host == "" || held.Since.IsZero() || held.ID != j.ID() {
			t.Errorf("%v", err)
		}
	}
	if all, _ := r.stored(j.ID()); len(all) != 4 {
		t.Errorf("it cannot be read meanwhile: %v", kinds(all))
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	r.close(r.open(j.ID()))
	if err := r.Remove(j.ID()); err != nil {
		t.Error(err)
	}
	if left := r.names(); len(left) != 0 {
		t.Error(left)
	}
	if err := r.Remove(j.ID()); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

func TestR37_ManyProcessesMakeSessions(t *testing.T) {
	processes, each := from("COPYDESK_PROCESSES", 12), 20
	dir := t.TempDir()
	var all sync.WaitGroup
	for range processes {
		all.Add(1)
		go func() {
			defer all.Done()
			if out, err := child(t, "many", dir+"/sessions", "", each).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, bytes.TrimSpace(out))
			}
		}()
	}
	all.Wait()
	s := realStore(dir + "/sessions")
	names, err := os.ReadDir(s.o.Dir)
	if err != nil || len(names) != processes*each {
		t.Fatalf("%d sessions, %v", len(names), err)
	}
	for _, name := range names {
		n := 0
		seq, _ := s.Read(context.Background(), strings.TrimSuffix(name.Name(), ".jsonl"))
		for _, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 3 {
			t.Errorf("%s has %d records", name.Name(), n)
		}
	}
}

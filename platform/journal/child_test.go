package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

// children are what the test binary does when a test runs it again.
var children = map[string]func(){
	"stream": childStreams,
	"fight":  childFights,
	"many":   childMakesMany,
}

// child runs the test binary as one of the children.
func child(t *testing.T, name, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(must(os.Executable()), args...)
	cmd.Env = append(os.Environ(), "COPYDESK_JOURNAL_CHILD="+name, "COPYDESK_JOURNAL_DIR="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func realStore(dir string) *Store {
	return New(Options{
		Dir: dir, Program: "1.0", Now: time.Now, Go: func(f func()) { go f() },
		After: func(d time.Duration, f func()) func() { t := time.AfterFunc(d, f); return func() { t.Stop() } },
	})
}

// childStreams does turns until it is killed, and prints what it has appended
// and what was acknowledged.
func childStreams() {
	s := realStore(os.Getenv("COPYDESK_JOURNAL_DIR"))
	s.segment = 8 << 10
	j := s.Create(seat)
	n := 0
	for turn := 0; ; turn++ {
		j.Append(prompt(fmt.Sprint("p", turn)))
		if err := j.Sync(context.Background()); err != nil {
			panic(err)
		}
		fmt.Println("safe p", j.ID(), turn)
		for range 40 {
			n++
			j.Append(text(fmt.Sprintf("#%06d", n)))
			fmt.Println("text", j.ID(), n)
			time.Sleep(time.Millisecond)
		}
		j.Append(decided(fmt.Sprint("r", turn)))
		if err := j.Sync(context.Background()); err != nil {
			panic(err)
		}
		fmt.Println("safe r", j.ID(), turn)
		j.Append(record.Ended{})
	}
}

// TestR1_KilledAtAnyMoment kills a program while it streams (C1): no prompt and
// no decision that was acknowledged is lost, the text is a prefix without gaps,
// and at most the last JournalJoin of it is lost. COPYDESK_CRASH_LOOPS says how
// often; 30 times without it.
func TestR1_KilledAtAnyMoment(t *testing.T) {
	loops := 30
	if n, err := strconv.Atoi(os.Getenv("COPYDESK_CRASH_LOOPS")); err == nil {
		loops = n
	}
	turns := make(chan int)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for i := range turns {
				killOnce(t, time.Duration(rand.IntN(700))*time.Millisecond, i)
			}
		})
	}
	for i := range loops {
		turns <- i
	}
	close(turns)
	wg.Wait()
}

func killOnce(t *testing.T, after time.Duration, loop int) {
	dir := t.TempDir()
	cmd := child(t, "stream", dir)
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	safe := map[string]int{"p": -1, "r": -1}
	id, old, shown := "", 0, 0
	var mu sync.Mutex
	times := map[int]time.Time{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			f := strings.Fields(lines.Text())
			n, err := strconv.Atoi(f[len(f)-1])
			if err != nil {
				continue
			}
			mu.Lock()
			id = f[len(f)-2]
			if f[0] == "safe" {
				safe[f[1]] = n
			} else {
				shown = n
				times[n] = time.Now()
			}
			mu.Unlock()
		}
	}()
	time.Sleep(after)
	killed := time.Now()
	cmd.Process.Kill()
	cmd.Wait()
	<-read
	if id == "" {
		return // it had not begun
	}
	const slack = 250 * time.Millisecond // of a machine that has much to do
	for n, at := range times {
		if killed.Sub(at) > core.JournalJoin+slack {
			old = max(old, n)
		}
	}

	s := realStore(dir)
	j, err := s.Open(id)
	if err != nil {
		t.Errorf("loop %d: %v", loop, err)
		return
	}
	if j.Skipped().Records > 1 || j.Skipped().Newer {
		t.Errorf("loop %d: skipped %+v", loop, j.Skipped())
	}
	got, last, said := map[string]int{"p": -1, "r": -1}, uint64(0), ""
	for r, err := range j.Records(context.Background()) {
		if err != nil || r.Seq != last+1 {
			t.Errorf("loop %d: %d after %d, %v", loop, r.Seq, last, err)
		}
		last = r.Seq
		switch e := r.Entry.(type) {
		case record.Prompt:
			got["p"]++
		case record.Decided:
			got["r"]++
		case record.Said:
			said += e.Event.(session.Text).Chunk
		}
	}
	n := 0
	for rest := said; rest != ""; n++ {
		head := fmt.Sprintf("#%06d", n+1)
		if !strings.HasPrefix(rest, head) {
			t.Errorf("loop %d: the text goes on with %.20q after number %d", loop, rest, n)
			break
		}
		rest = rest[len(head):]
	}
	if got["p"] < safe["p"] || got["r"] < safe["r"] {
		t.Errorf("loop %d: %v were acknowledged, there are %v", loop, safe, got)
	}
	if n < old {
		t.Errorf("loop %d: text %d of %d is there, %d was old enough", loop, n, shown, old)
	}
	j.Append(prompt("after"))
	if err := j.Close(); err != nil {
		t.Errorf("loop %d: %v", loop, err)
	}
}

// childFights opens a session again and again, and adds to it when it gets it.
func childFights() {
	s := realStore(os.Getenv("COPYDESK_JOURNAL_DIR"))
	id, won := os.Args[1], 0
	rounds := must(strconv.Atoi(os.Args[2]))
	for won < rounds {
		j, err := s.Open(id)
		if held := (*Held)(nil); errors.As(err, &held) {
			continue
		}
		if err != nil {
			panic(err)
		}
		won++
		j.Append(note(fmt.Sprint(os.Getpid(), " begins ", won)))
		j.Append(note(fmt.Sprint(os.Getpid(), " ends ", won)))
		if err := j.Close(); err != nil {
			panic(err)
		}
	}
}

// TestC7_TwoProgramsOneSession lets two programs fight for a session: each has
// it alone, and nothing of either is lost (R36).
func TestC7_TwoProgramsOneSession(t *testing.T) {
	rounds := 150
	if *long {
		rounds = 5000
	}
	dir := t.TempDir()
	s := realStore(dir)
	j := s.Create(seat)
	j.Append(prompt("go"))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for range 2 {
		cmd := child(t, "fight", dir, j.ID(), strconv.Itoa(rounds))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	seq, skipped := s.Read(context.Background(), j.ID())
	holder, begins, ends := 0, 0, 0
	last := uint64(0)
	for r, err := range seq {
		if err != nil || r.Seq != last+1 {
			t.Fatalf("%d after %d, %v", r.Seq, last, err)
		}
		last = r.Seq
		switch e := r.Entry.(type) {
		case record.Opened:
			holder = e.PID
		case record.Note:
			if !strings.HasPrefix(e.Text, fmt.Sprint(holder, " ")) {
				t.Fatalf("%q while %d has it", e.Text, holder)
			}
			if strings.Contains(e.Text, "begins") {
				begins++
			} else {
				ends++
			}
		}
	}
	if begins != 2*rounds || ends != 2*rounds || skipped() != (record.Skipped{}) {
		t.Errorf("%d and %d of %d, skipped %+v", begins, ends, 2*rounds, skipped())
	}
}

// TestR36_R47_WhoHasIt holds that the second to come is told who the first is, and
// that the session is free at once when that one is killed (R47).
func TestR36_R47_WhoHasIt(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "stream", dir)
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := strings.Fields(must(bufio.NewReader(out).ReadString('\n')))[2]
	go io.Copy(io.Discard, out)
	s := realStore(dir)
	_, err := s.Open(id)
	var held *Held
	if !errors.As(err, &held) || held.PID != cmd.Process.Pid || held.Host == "" || time.Since(held.Since) > time.Minute || held.ID != id {
		t.Errorf("open: %v", err)
	}
	if err := s.Remove(id); !errors.As(err, &held) {
		t.Errorf("remove: %v", err)
	}
	seq, _ := s.Read(context.Background(), id) // reading takes nothing
	n := 0
	for _, err := range seq {
		if err != nil {
			t.Error(err)
		}
		n++
	}
	if n < 3 {
		t.Errorf("%d records", n)
	}
	cmd.Process.Kill()
	cmd.Wait()
	j, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// childMakesMany makes sessions.
func childMakesMany() {
	s := realStore(os.Getenv("COPYDESK_JOURNAL_DIR"))
	for i := range must(strconv.Atoi(os.Args[1])) {
		j := s.Create(seat)
		j.Append(prompt(fmt.Sprint(os.Getpid(), " ", i)))
		if err := j.Close(); err != nil {
			panic(err)
		}
	}
}

// TestR37_ManyProgramsOneFolder makes sessions from many programs at once.
func TestR37_ManyProgramsOneFolder(t *testing.T) {
	programs, each := 8, 10
	if *long {
		programs, each = 50, 20
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range programs {
		cmd := child(t, "many", dir, strconv.Itoa(each))
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := realStore(dir)
	files := must(os.ReadDir(dir))
	said := map[string]bool{}
	for _, f := range files {
		seq, skipped := s.Read(context.Background(), strings.TrimSuffix(f.Name(), ".jsonl"))
		n := 0
		for r, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if p, ok := r.Entry.(record.Prompt); ok {
				said[p.Text] = true
			}
		}
		if n != 3 || skipped() != (record.Skipped{}) {
			t.Errorf("%s: %d records, skipped %+v", f.Name(), n, skipped())
		}
	}
	if len(files) != programs*each || len(said) != programs*each {
		t.Errorf("%d files and %d prompts of %d", len(files), len(said), programs*each)
	}
}

// TestR37_ANameThatIsTaken holds that an id which appears twice is given up for
// another one, and that the first one stays as it is.
func TestR37_ANameThatIsTaken(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	j.Append(note("before"))
	first := j.ID()
	m.dirs["/state"], m.dirs[stateDir] = true, true
	m.nodes[r.path(segmentName(first, 1))] = &node{data: []byte("theirs\n")}
	j.Append(prompt("one"))
	r.sync(j)
	if j.ID() == first {
		t.Fatal("it took a name that was taken")
	}
	r.close(j)
	r.holds(j.ID(), told(note("before"), prompt("one")))
	records, _ := r.read(j.ID())
	if h := records[0].Entry.(record.Header); h.ID != j.ID() {
		t.Errorf("the header names %q", h.ID)
	}
	if got := string(content(m, first, 1)); got != "theirs\n" {
		t.Errorf("the other session is now %q", got)
	}
}

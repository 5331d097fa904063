package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// prompt is what an input field begins with. It is drawn with the first frame.
const prompt = "❯"

// patience is how long a program may take to show what is waited for.
const patience = 60 * time.Second

// build compiles the programs that are measured, once in a run, into bin, which
// make clean removes.
var build = sync.OnceValues(func() (dir string, err error) {
	dir, err = filepath.Abs(filepath.Join("..", "..", "bin", "bench"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	flags := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"}
	for _, more := range [][]string{
		{"-o", dir + string(filepath.Separator), ".", "./testdata/floor", "./testdata/streamer", "./testdata/crier"},
		{"-tags", "imports", "-o", filepath.Join(dir, ballast), "./testdata/floor"},
	} {
		cmd := exec.Command("go", slices.Concat(flags, more)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build what is measured: %w\n%s", err, out)
		}
	}
	return dir, nil
})

// A bed is what the programs of one benchmark share: where they are, and a home
// of their own.
type bed struct {
	b    *testing.B
	bin  string
	home string
}

func newBed(b *testing.B) *bed {
	b.Helper()
	bin, err := build()
	if err != nil {
		b.Fatal(err)
	}
	return &bed{b: b, bin: bin, home: b.TempDir()}
}

// needsProc skips where the kernel tells nothing of a process.
func needsProc(b *testing.B, files ...string) {
	b.Helper()
	for _, file := range files {
		if _, err := os.Stat("/proc/self/" + file); err != nil {
			b.Skipf("SKIPPED: /proc/self/%s is missing, so that nothing can be read of a running program", file)
		}
	}
}

// said is what a program wrote, and when it was read.
type said struct {
	at   time.Time
	data []byte
}

// A seat is a program on a terminal of 120×40, and who sits before it.
type seat struct {
	b     *testing.B
	name  string
	cmd   *exec.Cmd
	tty   *os.File
	began time.Time
	out   chan said
	tail  []byte // what was said since the last thing that was waited for
	bytes int    // how much was said in all
	pause uint32 // where the row of pauses is
}

// sit starts a program. It ends with leave.
func (d *bed) sit(name string, args ...string) *seat {
	d.b.Helper()
	s := &seat{b: d.b, name: name, cmd: exec.Command(filepath.Join(d.bin, name), args...), out: make(chan said, 1<<14), pause: 1}
	s.cmd.Dir = d.home
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "XDG_STATE_HOME=" + d.home, "XDG_CONFIG_HOME=" + d.home,
		"TERM=xterm-256color", "LANG=C.UTF-8",
	}
	s.began = time.Now()
	var err error
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		if s.cmd.Process == nil {
			d.b.Skipf("SKIPPED: %s cannot be started on a pseudo terminal: %v", name, err)
		}
		d.b.Fatal(err)
	}
	go s.read()
	return s
}

// read takes what the program says until it has ended.
func (s *seat) read() {
	defer close(s.out)
	for {
		p := make([]byte, 32<<10)
		n, err := s.tty.Read(p)
		if n > 0 {
			s.out <- said{time.Now(), p[:n]}
		}
		if err != nil {
			return
		}
	}
}

// until waits for a text and returns when it was read.
func (s *seat) until(text string) time.Time {
	s.b.Helper()
	limit := time.After(patience)
	for {
		select {
		case part, open := <-s.out:
			if !open {
				s.b.Fatalf("%s ended before it showed %q: %q", s.name, text, s.tail)
			}
			s.bytes += len(part.data)
			s.tail = append(s.tail, part.data...)
			if i := bytes.Index(s.tail, []byte(text)); i >= 0 {
				s.tail = slices.Clone(s.tail[i+len(text):])
				return part.at
			}
			if extra := len(s.tail) - 4<<10; extra > 0 {
				s.tail = s.tail[extra:]
			}
		case <-limit:
			s.b.Fatalf("%s did not show %q: %q", s.name, text, s.tail)
		}
	}
}

// watch reads for a while.
func (s *seat) watch(d time.Duration) {
	s.b.Helper()
	limit := time.After(d)
	for {
		select {
		case part, open := <-s.out:
			if !open {
				s.b.Fatalf("%s ended: %q", s.name, s.tail)
			}
			s.bytes += len(part.data)
			s.tail = s.tail[:0]
		case <-limit:
			return
		}
	}
}

// types presses keys and returns when it did.
func (s *seat) types(keys string) time.Time {
	s.b.Helper()
	at := time.Now()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.b.Fatal(err)
	}
	return at
}

// idle reads for 5 to 45 ms, longer and shorter in a row that is the same each
// time, so that keys do not keep step with frames.
func (s *seat) idle() {
	s.b.Helper()
	s.pause = s.pause*1664525 + 1013904223 // Numerical Recipes, §7.1
	s.watch(5*time.Millisecond + time.Duration(s.pause>>8)%(40*time.Millisecond))
}

// leave ends the program.
func (s *seat) leave() {
	s.b.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	limit := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer limit.Stop()
	for range s.out { // the program ends only when what it says is taken
	}
	_ = s.cmd.Wait()
	s.tty.Close()
}

// proc reads a file of /proc/PID.
func (s *seat) proc(file string) string {
	s.b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, file))
	if err != nil {
		s.b.Fatal(err)
	}
	return string(data)
}

// mebibytes is an entry of smaps_rollup (proc_pid_smaps(5)).
func (s *seat) mebibytes(entry string) float64 {
	s.b.Helper()
	return float64(s.number(s.proc("smaps_rollup"), entry)) / 1024
}

// number is the number behind a name at the start of a line.
func (s *seat) number(text, name string) int {
	s.b.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				s.b.Fatal(err)
			}
			return n
		}
	}
	s.b.Fatalf("there is no %s in %q", name, text)
	return 0
}

// ticks is the time in user and system mode, in clock ticks (proc_pid_stat(5),
// fields 14 and 15).
func (s *seat) ticks() float64 {
	s.b.Helper()
	_, rest, _ := strings.Cut(s.proc("stat"), ") ")
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		s.b.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		s.b.Fatal(err)
	}
	return float64(user + system)
}

// perThread adds up what f finds for each thread.
func (s *seat) perThread(f func(task string) float64) (sum float64) {
	s.b.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.cmd.Process.Pid))
	if err != nil {
		s.b.Fatal(err)
	}
	for _, task := range tasks {
		sum += f("task/" + task.Name())
	}
	return sum
}

// wakeUps is how often the program's threads have gone to sleep by themselves,
// and so have been woken.
func (s *seat) wakeUps() float64 {
	s.b.Helper()
	return s.perThread(func(task string) float64 {
		return float64(s.number(s.proc(task+"/status"), "voluntary_ctxt_switches"))
	})
}

// cpu is the time on a processor, finer than ticks (Linux,
// Documentation/scheduler/sched-stats.rst).
func (s *seat) cpu() time.Duration {
	s.b.Helper()
	return time.Duration(s.perThread(func(task string) float64 {
		ns, err := strconv.ParseFloat(strings.Fields(s.proc(task + "/schedstat"))[0], 64)
		if err != nil {
			s.b.Fatal(err)
		}
		return ns
	}))
}

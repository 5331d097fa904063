package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The benchmarks of the whole program. Each runs it on a terminal of its own,
// in turns with the floor (testdata/floor), and reports medians and their ratio.
// The load of the machine is reported as well: it moves both.

const (
	desktop = "copydesk"
	floor   = "floor"
	ballast = "floor-imports" // the floor, with all that copydesk imports
	stream  = "streamer"      // the desk with an agent that streams
)

// The rounds of each measurement, and how long a program is watched.
const (
	startRounds  = 21
	memoryRounds = 3
	fullRounds   = 5
	idleKeys     = 200
	streamKeys   = 400
	memoryAfter  = 3 * time.Second
	idleWatch    = 10 * time.Second
	settled      = 200 * time.Millisecond
)

// TestWhatIsMeasuredCompiles holds that the programs of the benchmarks, which no
// wildcard of the go tool finds, go with the packages that they use.
func TestWhatIsMeasuredCompiles(t *testing.T) {
	cmd := exec.Command("go", "vet", "-tags", "imports", "./testdata/floor", "./testdata/streamer", "./testdata/crier")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// BenchmarkFirstFrame is P1: from the start of the program until its input field
// has been written to the terminal, with a state folder that exists. The budget
// is 1.3 times the floor with the same imports; x-bare is beside the floor
// without them.
func BenchmarkFirstFrame(b *testing.B) {
	d := newBed(b)
	names := [...]string{desktop, ballast, floor}
	var took [len(names)]sample
	first := func(name string) time.Duration {
		s := d.sit(name)
		defer s.leave()
		return s.until(prompt).Sub(s.began)
	}
	for _, name := range names {
		first(name) // makes the state folder, and reads the file of the program
	}
	for b.Loop() {
		for range startRounds {
			for i, name := range names {
				took[i].add(first(name))
			}
		}
	}
	for i, name := range names {
		took[i].report(b, name+"-ms", 50)
	}
	ratio(b, "x", took[0], took[1], 50)
	ratio(b, "x-bare", took[0], took[2], 50)
	machine(b)
}

// BenchmarkIdleMemory is P3: the memory three seconds after the first frame. The
// budget is 1.5 times the PSS of the floor with the same imports; x-bare is
// beside the floor without them.
func BenchmarkIdleMemory(b *testing.B) {
	needsProc(b, "smaps_rollup")
	d := newBed(b)
	names := [...]string{desktop, ballast, floor}
	var pss, rss [len(names)]sample
	round := func() {
		var seats [len(names)]*seat
		for i, name := range names {
			seats[i] = d.sit(name)
			defer seats[i].leave()
			seats[i].until(prompt)
		}
		seats[len(seats)-1].watch(memoryAfter)
		for i, s := range seats {
			pss[i] = append(pss[i], s.mebibytes("Pss"))
			rss[i] = append(rss[i], s.mebibytes("Rss"))
		}
	}
	for b.Loop() {
		for range memoryRounds {
			round()
		}
	}
	for i, name := range names {
		pss[i].report(b, name+"-PSS-MiB", 50)
		rss[i].report(b, name+"-RSS-MiB", 50)
	}
	ratio(b, "x", pss[0], pss[1], 50)
	ratio(b, "x-bare", pss[0], pss[2], 50)
	machine(b)
}

// BenchmarkIdleWakeups is P4: what a program does while nothing happens. The
// budget is no tick of a processor, and no wake-up.
func BenchmarkIdleWakeups(b *testing.B) {
	needsProc(b, "stat", "status", "task")
	d := newBed(b)
	watched := 0.0
	ticks, wakeUps := [2]float64{}, [2]float64{}
	seats := [2]*seat{d.sit(desktop), d.sit(floor)}
	for _, s := range seats {
		defer s.leave()
		s.until(prompt)
		s.watch(memoryAfter)
	}
	for b.Loop() {
		for i, s := range seats {
			ticks[i] -= s.ticks()
			wakeUps[i] -= s.wakeUps()
		}
		seats[0].watch(idleWatch)
		for i, s := range seats {
			ticks[i] += s.ticks()
			wakeUps[i] += s.wakeUps()
		}
		watched += idleWatch.Seconds()
	}
	for i, s := range seats {
		b.ReportMetric(ticks[i], s.name+"-ticks")
		b.ReportMetric(wakeUps[i]/watched, s.name+"-wakeups/s")
	}
	b.ReportMetric(watched, "s-watched")
	machine(b)
}

// BenchmarkKeyEcho is P8: from a key to the bytes that echo it, while nothing
// happens and while 200 chunks a second stream. The budget is twice the floor's
// median and 99th percentile, and 16 ms.
func BenchmarkKeyEcho(b *testing.B) {
	b.Run("idle", func(b *testing.B) {
		d := newBed(b)
		desk, beside := d.sit(desktop), d.sit(floor)
		defer desk.leave()
		defer beside.leave()
		benchmarkKeys(b, idleKeys, desktop, desk, beside)
	})
	b.Run("streaming", func(b *testing.B) {
		d := newBed(b)
		file := d.content(b, 256<<10) // more than is streamed while keys are pressed
		desk, beside := d.sit(stream, file), d.sit(floor, file)
		defer desk.leave()
		defer beside.leave()
		for _, s := range []*seat{desk, beside} {
			s.until(prompt)
			s.types("paced")
			s.until("d")
			s.types("\r")
			s.watch(settled)
		}
		benchmarkKeys(b, streamKeys, desktop, desk, beside)
	})
}

// benchmarkKeys presses keys in turns in both programs.
func benchmarkKeys(b *testing.B, keys int, name string, desk, beside *seat) {
	b.Helper()
	var ours, theirs sample
	for _, s := range []*seat{desk, beside} {
		s.watch(settled)
	}
	pressed := 0
	for b.Loop() {
		for range keys {
			letter, last := key(pressed)
			ours.add(desk.echo(letter, last))
			theirs.add(beside.echo(letter, last))
			pressed++
		}
	}
	for _, p := range []int{50, 99} {
		ours.report(b, fmt.Sprintf("%s-p%d-ms", name, p), p)
		theirs.report(b, fmt.Sprintf("%s-p%d-ms", floor, p), p)
		ratio(b, fmt.Sprintf("x-p%d", p), ours, theirs, p)
	}
	machine(b)
}

// Letters that no program shows by itself, and how many are typed before they
// are taken back. No letter comes to a cell where it has just been, for that
// would change nothing on the screen.
const (
	letters = "αβγδεζηθικλμνξοπρστυφχψω"
	draft   = 20
)

// key is the n-th key, and whether it is the last of a draft.
func key(n int) (letter string, last bool) {
	all := []rune(letters)
	return string(all[n%len(all)]), n%draft == draft-1
}

// echo presses a key and returns how long it took to be shown.
func (s *seat) echo(letter string, last bool) time.Duration {
	s.b.Helper()
	s.idle()
	pressed := s.types(letter)
	took := s.until(letter).Sub(pressed)
	if last {
		s.types(strings.Repeat("\x7f", draft))
		s.watch(settled)
	}
	return took
}

// BenchmarkStream is P7: 64 KB of Markdown in chunks of 16 bytes. As fast as it
// goes the budgets are 1.5 times the floor until the last chunk is shown and
// twice its time on the processor; at 200 chunks a second 1.5 times its time on
// the processor, and ten bytes written for a byte of text.
func BenchmarkStream(b *testing.B) {
	needsProc(b, "schedstat", "task")
	b.Run("full", func(b *testing.B) { benchmarkStream(b, "full", fullRounds) })
	b.Run("paced", func(b *testing.B) { benchmarkStream(b, "paced", 1) })
}

func benchmarkStream(b *testing.B, how string, rounds int) {
	const size = 64 << 10
	d := newBed(b)
	file := d.content(b, size)
	names := [2]string{stream, floor}
	var took, cpu, written [2]sample
	for b.Loop() {
		for round := range rounds * len(names) {
			i := round % len(names)
			func() {
				s := d.sit(names[i], file)
				defer s.leave()
				s.until(prompt)
				s.types(how)
				s.until(how[len(how)-1:])
				s.watch(settled)
				before, bytes := s.cpu(), s.bytes
				began := s.types("\r")
				took[i].add(s.until(lastLine).Sub(began))
				s.watch(settled)
				cpu[i].add(s.cpu() - before)
				written[i] = append(written[i], float64(s.bytes-bytes)/size)
			}()
		}
	}
	for i, name := range [2]string{desktop, floor} {
		took[i].report(b, name+"-ms", 50)
		cpu[i].report(b, name+"-CPU-ms", 50)
		written[i].report(b, name+"-B/B", 50)
	}
	ratio(b, "x", took[0], took[1], 50)
	ratio(b, "x-CPU", cpu[0], cpu[1], 50)
	machine(b)
}

// lastLine is the last line of what is streamed, and stands nowhere else.
const lastLine = "∎"

// content writes a file of Markdown of about a size: prose, code and tables.
func (d *bed) content(b *testing.B, size int) string {
	b.Helper()
	var text strings.Builder
	for i := 1; text.Len() < size-len(lastLine); i++ {
		fmt.Fprintf(&text, "## Step %d\n\nA line is **as long** as it wants to be, and `wrapped` where the window ends; "+
			"nothing of that is in a copy, which is [exact](https://example.org/%d).\n\n", i, i)
		fmt.Fprintf(&text, "```go\nfunc step%d(n int) string {\n\treturn fmt.Sprint(n, \"steps\") // so far\n}\n```\n\n", i)
		fmt.Fprintf(&text, "| name | rows |\n|---|--:|\n| customers | %d |\n| orders | %d |\n\n- one\n- two\n\n", i, 3*i)
	}
	file := filepath.Join(d.home, "content.md")
	if err := os.WriteFile(file, []byte(text.String()+lastLine+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// BenchmarkBinarySize is P20: the program is one file of at most 30 MB.
func BenchmarkBinarySize(b *testing.B) {
	d := newBed(b)
	info, err := os.Stat(filepath.Join(d.bin, desktop))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
	b.ReportMetric(0, "ns/op")
}

// A sample is what was measured of one thing; of times, in milliseconds.
type sample []float64

func (s *sample) add(d time.Duration) { *s = append(*s, d.Seconds()*1000) }

// percentile is the smallest value that p of 100 do not exceed.
func (s sample) percentile(p int) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[(len(sorted)*p+99)/100-1]
}

func (s sample) report(b *testing.B, unit string, p int) { b.ReportMetric(s.percentile(p), unit) }

// ratio reports how many times the one is the other.
func ratio(b *testing.B, unit string, one, other sample, p int) {
	b.ReportMetric(one.percentile(p)/other.percentile(p), unit)
}

// machine reports the load of the last minute (proc_loadavg(5)), where it is
// known, and takes back the time of a round, which says nothing.
func machine(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return
	}
	if average, err := strconv.ParseFloat(strings.Fields(string(data))[0], 64); err == nil {
		b.ReportMetric(average, "load")
	}
}

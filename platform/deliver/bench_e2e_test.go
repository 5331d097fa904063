//go:build e2e && unix

package deliver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"copydesk/core/clipboard"
)

// copied is a text of 120 KB that no other one equals.
func copied(n int) string {
	return strconv.Itoa(n) + "\n" + strings.Repeat("0123456789 the quick brown fox\n", 4000)[:120_000]
}

// compare copies 120 KB until another program has it, in turns with the bare
// tool, and reports both medians, both 95th percentiles and the medians' ratio,
// which is to be at most 1.2 (P11).
func compare(b *testing.B, d *Deliverer, tool []string, paste func() string) {
	b.Helper()
	ours := func(body string) error {
		if r := d.Copy(context.Background(), body); r.Best() < clipboard.Buffered {
			return errors.New(brief(r))
		}
		return nil
	}
	bare := func(body string) error {
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdin = strings.NewReader(body)
		return cmd.Run()
	}
	n := 0
	timed := func(set func(string) error) float64 {
		n++
		body := copied(n)
		began := time.Now()
		if err := set(body); err != nil {
			b.Fatal(err)
		}
		for paste() != body {
		}
		return milliseconds(began)
	}
	var us, them []float64
	for b.Loop() {
		us = append(us, timed(ours))
		them = append(them, timed(bare))
	}
	report(b, "ours", us)
	report(b, "tool", them)
	b.ReportMetric(us[len(us)/2]/them[len(them)/2], "ratio")
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// report sorts the times and reports their median and their 95th percentile.
func report(b *testing.B, who string, times []float64) {
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], who+"-p50-ms")
	b.ReportMetric(times[len(times)*95/100], who+"-p95-ms")
}

func BenchmarkP11(b *testing.B) {
	b.Run("x11", func(b *testing.B) {
		startX(b)
		compare(b, desktop(b), []string{"xclip", "-in", "-selection", "clipboard"}, func() string { return pasted(b) })
	})
	b.Run("wayland", func(b *testing.B) {
		startSway(b)
		compare(b, desktop(b), []string{"wl-copy", "--type", "text/plain"}, func() string { return pastedWayland(b) })
	})
	b.Run("tmux", func(b *testing.B) {
		r := startTmux(b, "")
		r.attach()
		d := r.deliverer()
		d.sender = nil
		compare(b, d, []string{"tmux", "-S", r.socket, "load-buffer", "-w", "-"}, func() string {
			out, err := exec.Command("tmux", "-S", r.socket, "show-buffer").Output()
			if err != nil {
				b.Fatal(err)
			}
			return string(out)
		})
	})
	b.Run("terminal", benchmarkTerminal)
}

// benchmarkTerminal copies to a terminal that reads without pause, until it has
// the last byte, in turns with a bare write of the sequence.
func benchmarkTerminal(b *testing.B) {
	master, tty, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	if err := raw(tty); err != nil {
		b.Skipf("SKIPPED: %v", err)
	}
	vars := map[string]string{"TERM": "xterm-kitty", "SSH_TTY": "x"}
	d := desktop(b)
	d.env, d.lineage = func(name string) string { return vars[name] }, nil
	d.sender = &sender{terminal: ttyTerminal{tty}, start: d.start}

	ended := make(chan error)
	go func() {
		p := make([]byte, 1<<20)
		for {
			n, err := master.Read(p)
			if bytes.HasSuffix(p[:n], []byte("\x1b\\")) || err != nil {
				ended <- err
			}
			if err != nil {
				return
			}
		}
	}()
	n := 0
	timed := func(write func(body string) error) float64 {
		n++
		body := copied(n)
		began := time.Now()
		if err := write(body); err != nil {
			b.Fatal(err)
		}
		if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		return milliseconds(began)
	}
	var us, bare []float64
	for b.Loop() {
		us = append(us, timed(func(body string) error {
			if r := d.Copy(context.Background(), body); r.Best() != clipboard.Sent {
				return errors.New(brief(r))
			}
			return nil
		}))
		ready := []byte(plain52(copied(n)))
		bare = append(bare, timed(func(string) error { _, err := tty.Write(ready); return err }))
	}
	report(b, "ours", us)
	report(b, "write", bare)
}

// raw keeps a terminal from changing what passes through it.
func raw(tty *os.File) error {
	cmd := exec.Command("stty", "raw", "-echo")
	cmd.Stdin = tty
	return cmd.Run()
}

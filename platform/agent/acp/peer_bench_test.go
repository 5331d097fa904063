//go:build unix

package acp_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkR8_AGigabyteOfText streams 1 GB of answer through the agent into a
// pane that a front end reads, and reports the most memory the process had.
func BenchmarkR8_AGigabyteOfText(b *testing.B) {
	b.ReportAllocs()
	unit := updateLine("s1", chunk("agent_message_chunk", strings.Repeat("0123456789abcde\n", 256))) + "\n"
	benchFlood(b, "flood", unit, 1<<30)
}

// BenchmarkR9_AGigabyteOfStderr is the same for what nobody reads.
func BenchmarkR9_AGigabyteOfStderr(b *testing.B) {
	b.ReportAllocs()
	benchFlood(b, "flooderr", "debug: nothing of interest\n", 1<<30)
}

func benchFlood(b *testing.B, op, unit string, size int64) {
	count := size / int64(len(unit))
	b.SetBytes(count * int64(len(unit)))
	for b.Loop() {
		d := newDeskRig(b)
		d.turn("go")
		stop, drawn := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			defer func() { drawn <- n }()
			for rev := uint64(0); ; n++ {
				select {
				case <-d.ring:
					rev = d.pane.Since(rev).Revision
				case <-stop:
					return
				}
			}
		}()
		d.peer.do(order{Op: op, Data: []byte(unit), N: count * int64(len(unit))})
		d.peer.say("\nthe end")
		d.peer.end("end_turn")
		for d.pane.Since(0).Status.Running {
			runtime.Gosched()
		}
		close(stop)
		b.ReportMetric(float64(<-drawn), "pulls")
		b.ReportMetric(peakMB(), "peak-MB")
		if !strings.Contains(d.text(), "the end") {
			b.Error("the end is not shown")
		}
	}
}

// peakMB is the most memory this process ever had, as Linux counts it.
func peakMB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(kb, 64)
	return n / 1024
}

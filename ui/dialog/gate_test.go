package dialog

import (
	"testing"
	"time"

	"copydesk/core"

	"pgregory.net/rapid"
)

// epoch is the start of the tests' time. It lies before the time that tcell
// stamps events with, so that events count as pressed in the present.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

func TestREQ5_TheGateOpensAfterTheQuietTime(t *testing.T) {
	g := NewGate(core.QuietGate)
	if g.Wait(at(0)) >= 0 || g.Ready(at(1000), true) {
		t.Fatal("a gate without a request waits or opens")
	}
	g.Key(at(0))
	g.Shown(at(100))
	if got := g.Wait(at(200)); got != 250*time.Millisecond {
		t.Fatalf("waits %v, want 250ms", got)
	}
	g.Fired(at(449))
	if g.Ready(at(449), true) {
		t.Fatal("open before 350 ms have passed")
	}
	g.Fired(at(450))
	if !g.Ready(at(450), true) || g.Wait(at(450)) >= 0 {
		t.Fatal("shut after 350 ms of quiet")
	}
	if g.Ready(at(450), false) {
		t.Fatal("ready over a draft")
	}
	g.Key(at(500))
	if g.Ready(at(500), true) {
		t.Fatal("ready right after a key")
	}
}

func TestT42_ALateTimerStartsTheGateAnew(t *testing.T) {
	g := NewGate(core.QuietGate)
	g.Shown(at(0))
	g.Fired(at(350 + 51)) // the program was stopped meanwhile
	if g.Ready(at(401), true) {
		t.Fatal("open by a timer that fired late")
	}
	if got := g.Wait(at(401)); got != core.QuietGate {
		t.Fatalf("waits %v, want the whole quiet time", got)
	}
	g.Fired(at(401 + 350 + 50))
	if !g.Ready(at(801), true) {
		t.Fatal("shut although the timer fired within the slack")
	}
}

func TestT47_AChangeShutsTheGate(t *testing.T) {
	g := NewGate(core.QuietGate)
	g.Shown(at(0))
	g.Fired(at(350))
	g.Shown(at(360))
	if g.Ready(at(360), true) {
		t.Fatal("open over a request that has just changed")
	}
}

// TestREQ5_NothingOpensTheGateButQuiet: whatever happens in whatever order, an
// open gate has seen the quiet time and a timer that was on time.
func TestREQ5_NothingOpensTheGateButQuiet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewGate(core.QuietGate)
		now := epoch
		var last time.Time
		onTime := false
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 10, 49, 50, 51, 200, 349, 350, 351, 399, 400, 401, 5000}).Draw(t, "ms")) * time.Millisecond)
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				g.Shown(now)
				last, onTime = now, false
			case 1:
				g.Key(now)
				if !last.IsZero() {
					last, onTime = now, false
				}
			case 2:
				g.Fired(now)
				quiet := now.Sub(last)
				switch {
				case last.IsZero() || onTime:
				case quiet > core.QuietGate+core.GateSlack:
					last = now
				case quiet >= core.QuietGate:
					onTime = true
				}
			}
			if want := onTime && !last.IsZero(); g.Ready(now, true) != want {
				t.Fatalf("ready %v, want %v", !want, want)
			}
			if g.Ready(now, false) {
				t.Fatal("ready over a draft")
			}
		}
	})
}

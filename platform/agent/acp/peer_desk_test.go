//go:build unix

package acp_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode"

	"copydesk/core/desk"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

// A deskRig is the agent in a pane of a real desk.
type deskRig struct {
	*rig
	peer *peer
	desk *desk.Desk
	pane *desk.Pane
	ring <-chan struct{}
}

func newDeskRig(t testing.TB, change ...func(*acp.Options)) *deskRig {
	t.Helper()
	d := openDesk(t, change...)
	d.peer = d.greet(plainInitialize, plainNew)
	return d
}

// openDesk does not greet the agent yet.
func openDesk(t testing.TB, change ...func(*acp.Options)) *deskRig {
	t.Helper()
	d := &deskRig{rig: newRig(t, change...)}
	d.desk = desk.New(desk.Deps{
		Now: d.clock.Now, Go: d.spawn, PanelLines: 1000,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	d.ring = d.desk.Listen()
	d.pane = d.desk.Open(d.agent, desk.PaneOptions{Title: "peer"})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		d.rig.mu.Lock()
		d.rig.closed = true // the desk closes the agent
		d.rig.mu.Unlock()
		d.agent.Kill()
		if err := d.desk.Close(ctx); err != nil {
			t.Errorf("closing the desk: %v", err)
		}
		d.goes.Wait()
	})
	return d
}

// until waits until the pane's state holds.
func (d *deskRig) until(what string, holds func(desk.Delta) bool) desk.Delta {
	d.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		state := d.pane.Since(0)
		if holds(state) {
			return state
		}
		select {
		case <-d.ring:
		case <-late.C:
			d.t.Fatalf("waited for %s in vain; the panel shows\n%s", what, shown(state.Lines))
		}
	}
}

func (d *deskRig) turn(prompt string) {
	d.t.Helper()
	d.pane.Submit(prompt)
	d.peer.prompted()
}

func (d *deskRig) pending() session.Pending {
	d.t.Helper()
	state := d.until("a request", func(s desk.Delta) bool { return len(s.Pending) > 0 })
	return state.Pending[0]
}

func (d *deskRig) idle() {
	d.t.Helper()
	d.until("the end of the turn", func(s desk.Delta) bool { return !s.Status.Running })
}

func (d *deskRig) shows(text string) {
	d.t.Helper()
	d.until(text, func(s desk.Delta) bool { return strings.Contains(shown(s.Lines), text) })
}

func (d *deskRig) text() string { return shown(d.pane.Since(0).Lines) }

func shown(lines []panel.Shown) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// clean holds that nothing a terminal or an eye could mistake is in what is
// shown: lines, status, details' titles. A line may hold tabs.
func (d *deskRig) clean() {
	d.t.Helper()
	state := d.pane.Since(0)
	for i, l := range state.Lines {
		if bad, is := hostile(l.Text); is {
			d.t.Errorf("line %d shows %U: %q", i, bad, l.Text)
		}
	}
	for _, s := range []string{state.Status.Title, state.Status.Hint, state.Status.Mode, state.Status.Model} {
		if bad, is := hostile(s); is {
			d.t.Errorf("the status shows %U: %q", bad, s)
		}
	}
	for _, x := range d.pane.Details() {
		if bad, is := hostile(x.Title); is {
			d.t.Errorf("a detail's title shows %U: %q", bad, x.Title)
		}
	}
}

// hostile finds a character that never may be shown: a control but the tab,
// bidi controls, tags, zero-width ones beside emoji joiners.
func hostile(s string) (rune, bool) {
	for _, r := range s {
		switch {
		case r == '\t':
		case unicode.IsControl(r),
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C,
			r == 0x2028, r == 0x2029, r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x3164:
			return r, true
		}
	}
	return 0, false
}

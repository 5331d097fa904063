package ui

import (
	"context"
	"slices"
	"testing"

	"copydesk/core/session"
)

// TestT68_TheUserIsCalledOnceForARequest holds that frames and keys call nobody
// a second time.
func TestT68_TheUserIsCalledOnceForARequest(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table")
	d.wait(d.app.Quiet * 4)
	d.typed("x")
	d.press("ctrl+c")
	if want := []string{"fake waits for you: Drop the table customers?"}; !slices.Equal(d.called, want) {
		t.Errorf("the user was called for %q, want %q", d.called, want)
	}
}

func TestT68_TheUserIsCalledForTheEndOfALongTurn(t *testing.T) {
	release := make(chan struct{})
	d := drive(t, 80, 24, func(ctx context.Context, prompt string, yield func(session.Event, error) bool) {
		<-release
	})
	end := func() {
		d.draw()
		release <- struct{}{}
		d.idle()
	}
	d.typed("short\n")
	end()
	if len(d.called) > 0 {
		t.Fatalf("the end of a short turn called for %q", d.called)
	}
	d.typed("long\n")
	d.draw()
	d.wait(longTurn)
	end()
	d.typed("/keys\n")
	if want := []string{"fake has finished: fake · test"}; !slices.Equal(d.called, want) {
		t.Errorf("the user was called for %q, want %q", d.called, want)
	}
}

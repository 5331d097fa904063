package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"copydesk/core/desk"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/ui/theme"
)

// health changes what a journal says of itself, and rings the desk as a journal
// does.
func (d *driver) health(k *keeper, h record.Health) {
	k.mu.Lock()
	k.health = h
	k.mu.Unlock()
	d.desk.Ring()
	d.draw()
}

// full is a disk that is full since three minutes ago.
func (d *driver) full() record.Health {
	return record.Health{
		Saved: d.clock.Now().Add(-4 * time.Minute), Since: d.clock.Now().Add(-3 * time.Minute),
		Failing: "There is no space left on the device that ~/.local/state/copydesk is on.",
	}
}

// keeping is a driver whose first pane has nothing stored and whose second one,
// which is shown, has a journal.
func keeping(t testing.TB, w, h int) (*driver, *keeper) {
	t.Helper()
	d := drive(t, w, h, echoing("ok\n"))
	k := &keeper{}
	d.reopen(k, echoing("ok\n"))
	return d, k
}

func TestR51_WhenItWasSavedIsSaidLast(t *testing.T) {
	d, k := keeping(t, 80, 20)
	d.lacks("saved")
	timers := d.clock.Pending()
	at := d.clock.Now().Add(-time.Second)
	d.health(k, record.Health{Saved: at.In(time.FixedZone("elsewhere", 3600))})
	d.shows("fake · simple │ saved 11:59:59")
	if n := d.clock.Pending(); n != timers {
		t.Errorf("%d timers run for it", n-timers)
	}
	d.resize(60, 20)
	d.lacks("saved")
	d.shows("Ctrl+Y copy answer  Enter send  F1 help")
	d.resize(80, 20)
	d.app.say("Something that takes some room.", false)
	d.draw()
	d.lacks("saved")
}

func TestR21_ABannerSaysThatNothingIsSaved(t *testing.T) {
	d, k := keeping(t, 120, 20)
	d.health(k, d.full())
	d.shows("Not saved since 11:57. There is no space left on the device that ~/.local/state/copydesk is on.")
	d.lacks("saved 11:5", "not saved")
	d.press("alt+1")
	d.shows("Not saved in 2: fake since 11:57. There is no space left")
	d.typed("go\n")
	d.shows("[simple] go ✓")
	d.health(k, record.Health{Saved: d.clock.Now()})
	d.shows("Everything is saved again.")
	d.lacks("Not saved")
	d.press("alt+2")
	d.wait(toastTime)
	d.shows("saved 12:00:00")
}

// TestR21_OnlyWhenAllIsSavedItIsSaid has two sessions that cannot be saved, of
// which one is closed.
func TestR21_OnlyWhenAllIsSavedItIsSaid(t *testing.T) {
	d, k := keeping(t, 120, 20)
	other := &keeper{id: "20261121-062316-aaaaaa"}
	d.reopen(other, echoing("x"))
	d.health(k, d.full())
	d.health(other, d.full())
	d.press("alt+1")
	d.shows("Not saved in 2: fake, 3: fake since 11:57.")
	d.health(k, record.Health{})
	d.shows("Not saved in 3: fake since 11:57.")
	d.lacks("saved again")
	d.press("alt+3", "ctrl+x k")
	d.shows("Close 3: fake?", "What could not be saved of it is lost.")
	d.press("down", "enter")
	d.lacks("Not saved", "saved again")
}

func TestR21_BannerScreens(t *testing.T) {
	eachLook(screenSizes, func(suffix string, o theme.Options, w, h int) {
		d, k := keeping(t, w, h)
		d.paint(o)
		d.typed("go\n")
		d.shows("ok")
		d.health(k, d.full())
		d.screen.Golden(t, "not-saved"+suffix)
	})
}

// TestR21_WhereTheBannerHasNoRoomTheStatusSaysIt opens a request on the smallest
// screens.
func TestR21_WhereTheBannerHasNoRoomTheStatusSaysIt(t *testing.T) {
	d := drive(t, 40, 10, echoing("x"))
	k := &keeper{}
	d.reopen(k, answering(dropRequest))
	d.typed("go\n")
	d.shows("waiting for you")
	d.health(k, d.full())
	d.shows("│ not saved │")
	d.lacks("Not saved")
	d.resize(20, 5)
	d.draw()
}

func TestSES3_QuittingSaysWhatIsNotSaved(t *testing.T) {
	d, k := keeping(t, 100, 20)
	d.health(k, d.full())
	d.press("ctrl+d")
	d.shows("Quit without saving?", "Nothing of pane 2 has been saved since 11:57.")
	if d.app.ctx.Err() != nil {
		t.Fatal("it has quit")
	}
	d.press("enter")
	other := &keeper{id: "20261121-062316-aaaaaa"}
	hold := func(ctx context.Context, _ string, _ func(session.Event, error) bool) { <-ctx.Done() }
	d.desk.Open(script(hold), desk.PaneOptions{Title: "x", Journal: other}).Submit("go")
	yesterday := d.full()
	yesterday.Since = d.clock.Now().AddDate(0, 0, -1)
	d.health(other, yesterday)
	d.press("ctrl+d")
	d.shows("Quit while the agents work?", "The turn in 3: fake ends. Nothing of panes 2, 3 has been saved")
	if s := d.app.lost(); !strings.HasSuffix(s, "since 31 Dec 12:00.") {
		t.Errorf("said is %q", s)
	}
	d.press("down", "enter")
	if d.app.ctx.Err() == nil {
		t.Error("it has not quit")
	}
}

// TestSES3_ATinyScreenAsksToo quits where no question has room.
func TestSES3_ATinyScreenAsksToo(t *testing.T) {
	d, k := keeping(t, 100, 20)
	d.health(k, d.full())
	d.resize(10, 3)
	d.press("ctrl+d")
	if d.app.ctx.Err() != nil {
		t.Error("it has quit without a word")
	}
}

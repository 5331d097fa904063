package ui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/theme"
)

// fakeSessions are stored sessions of a test. What a test leaves out is not
// there.
type fakeSessions struct {
	list   iter.Seq2[record.Summary, error]
	search func(ctx context.Context, words string) iter.Seq2[record.Hit, error]
	open   func(id string) (Pane, error)
	read   func(ctx context.Context, id string) (desk.Past, error)
	remove error

	mu      sync.Mutex
	opened  []string
	reads   []string
	removed []string
	sought  []string
}

func (f *fakeSessions) note(list *[]string, s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*list = append(*list, s)
}

func (f *fakeSessions) noted(list *[]string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(*list)
}

func (f *fakeSessions) List(context.Context) iter.Seq2[record.Summary, error] { return f.list }

func (f *fakeSessions) Search(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
	f.note(&f.sought, words)
	return f.search(ctx, words)
}

func (f *fakeSessions) Read(ctx context.Context, id string) (desk.Past, error) {
	f.note(&f.reads, id)
	if f.read != nil {
		return f.read(ctx, id)
	}
	lines := []string{"[claude] look at it ✓", "I read " + id + ".", "Two places are slow, and both of them are quick to mend: the width of a line is taken twice.", "Both are done now."}
	past := desk.Past{Panel: strings.Join(lines, "\n")}
	for _, l := range lines {
		past.Lines = append(past.Lines, panel.Shown{Line: text.Line{Text: l}})
	}
	return past, nil
}

func (f *fakeSessions) Remove(id string) error {
	f.note(&f.removed, id)
	return f.remove
}

func (f *fakeSessions) Open(id string) (Pane, error) {
	f.note(&f.opened, id)
	return f.open(id)
}

// some are sessions of all ages.
func some(now time.Time) []record.Summary {
	return []record.Summary{
		{ID: "20200101-093000-aaaaaa", Title: "Fix the flaky panel test", Agent: "claude", Dir: "~/src/copydesk", Updated: now.Add(-time.Hour), Bytes: 214},
		{ID: "20191230-093000-bbbbbb", Title: "Why is the wrap slow on 日本語 \x1b[2Jlines?", Agent: "opencode", Dir: "~/src/a/very/long/way/down/to/the/text/package", Updated: now.AddDate(0, 0, -2), Bytes: 12_345},
		{ID: "20190630-093000-cccccc", Title: "select * from customers where id = 7", Agent: "playground", Updated: now.AddDate(0, -6, 0), Bytes: 3_456_789},
		{ID: "20190629-093000-dddddd", Agent: "fake", Dir: "/tmp", Updated: now.AddDate(0, -7, 0), Bytes: 90},
	}
}

func listing(s ...record.Summary) iter.Seq2[record.Summary, error] {
	return func(yield func(record.Summary, error) bool) {
		for _, s := range s {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// shelved is a driver with stored sessions.
func shelved(t testing.TB, w, h int, f *fakeSessions) *driver {
	t.Helper()
	d := drive(t, w, h, echoing("ok\n"))
	if f.list == nil {
		f.list = listing(some(d.clock.Now())...)
	}
	if f.open == nil {
		f.open = func(id string) (Pane, error) {
			return d.desk.Open(namedAgent{echoing("ok\n"), "claude"}, desk.PaneOptions{Title: "claude · test", Journal: &keeper{id: id}}), nil
		}
	}
	d.app.deps.Sessions = f
	return d
}

// paint gives the desk another theme.
func (d *driver) paint(o theme.Options) {
	d.t.Helper()
	s := d.app.Settings
	var err error
	if s.Theme, err = theme.New(o); err != nil {
		d.t.Fatal(err)
	}
	d.app.Configure(s)
	d.draw()
}

// looks are the themes that screens are compared in.
var looks = map[string]theme.Options{
	"":         {Name: "dark", Colors: 256},
	"-light":   {Name: "light", Colors: 256},
	"-nocolor": {NoColor: true},
	"-ascii":   {Name: "dark", Colors: 16, ASCII: true},
}

// eachLook calls f for each theme and size.
func eachLook(sizes [][2]int, f func(suffix string, o theme.Options, w, h int)) {
	for look, o := range looks {
		for _, s := range sizes {
			f(fmt.Sprintf("-%dx%d%s", s[0], s[1], look), o, s[0], s[1])
		}
	}
}

var screenSizes = [][2]int{{120, 40}, {80, 24}, {40, 10}}

func TestSES3_SessionScreens(t *testing.T) {
	eachLook(append(screenSizes, [2]int{80, 36}), func(suffix string, o theme.Options, w, h int) {
		d := shelved(t, w, h, &fakeSessions{})
		d.paint(o)
		d.press("ctrl+x s")
		d.shows("Fix the flaky")
		d.until("the end of the list", func(string) bool { return d.list().all })
		if w >= 100 || h >= 30 {
			d.wait(previewRest)
			d.shows("Both are done now.")
		}
		d.screen.Golden(t, "sessions"+suffix)
	})
}

// later lets time pass until the screen shows some texts.
func (d *driver) later(texts ...string) {
	d.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for _, want := range texts {
		for !strings.Contains(d.text(), want) {
			if time.Now().After(deadline) {
				d.t.Fatalf("waited for %q; the screen is\n%s", want, d.text())
			}
			d.clock.Advance(10 * time.Millisecond)
			d.draw()
		}
	}
}

func (d *driver) list() *storedList {
	d.t.Helper()
	l, ok := d.app.stack.Top().(*storedList)
	if !ok {
		d.t.Fatalf("the list is not on top; the screen is\n%s", d.text())
	}
	return l
}

func (d *driver) hits() *hitList {
	d.t.Helper()
	l, ok := d.app.stack.Top().(*hitList)
	if !ok {
		d.t.Fatalf("the hits are not on top; the screen is\n%s", d.text())
	}
	return l
}

func TestSES3_ASessionIsOpenedAndShown(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	d.typed("a draft")
	d.app.carryOut(command.Stored{})
	d.shows("Fix the flaky panel test", "today 11:00", "2019-12-30", "2019-07-01", "claude · ~/src/copydesk · 214 B", "12 kB", "3.5 MB", "4 sessions", "No prompt yet", "␛[2J")
	d.typed("SLOW ~/src")
	d.shows("1 of 4 sessions")
	d.lacks("flaky")
	d.press("enter")
	d.until("the pane", func(string) bool { return d.shownPane() == 2 })
	if got := f.noted(&f.opened); !slices.Equal(got, []string{"20191230-093000-bbbbbb"}) || d.app.stack.Top() != nil {
		t.Errorf("opened %q, on top is %T", got, d.app.stack.Top())
	}
	d.press("alt+1")
	d.shows("❯ a draft")

	d.press("ctrl+x s")
	d.shows("open in 2: claude · opencode")
	d.press("down", "enter")
	if d.shownPane() != 2 || len(f.noted(&f.opened)) != 1 {
		t.Errorf("pane %d is shown, opened %q", d.shownPane(), f.noted(&f.opened))
	}
}

func TestR36_ASessionOfAnotherDeskIsRead(t *testing.T) {
	f := &fakeSessions{open: func(string) (Pane, error) {
		return nil, errors.New("is open in another desk (process 123 on host since 14:03)")
	}}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("enter")
	d.shows("Is open in another desk (process 123 on host since 14:03). Ctrl+O reads")
	d.press("ctrl+o")
	d.shows("Fix the flaky panel test (to be read only)", "I read 20200101-093000-aaaaaa.")
	d.press("c")
	d.until("a copy", func(string) bool { return len(d.clip.all()) == 1 })
	if got := d.clip.all()[0]; !strings.HasPrefix(got, "[claude] look at it ✓\nI read") {
		t.Errorf("copied %q", got)
	}
	d.press("esc")
	d.list()
	d.shows("4 sessions")
}

// TestSES3_ClosingTheListLeavesTheUserWhereTheyAre closes the list while a
// session is being opened.
func TestSES3_ClosingTheListLeavesTheUserWhereTheyAre(t *testing.T) {
	go1 := make(chan struct{})
	f := &fakeSessions{}
	d := shelved(t, 100, 24, f)
	open := f.open
	f.open = func(id string) (Pane, error) {
		<-go1
		return open(id)
	}
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("enter", "enter")
	d.shows("Opening Fix the flaky panel test…")
	d.press("esc")
	close(go1)
	d.shows("The session is open in 2: claude.")
	if d.shownPane() != 1 || len(f.noted(&f.opened)) != 1 {
		t.Errorf("pane %d is shown, opened %q", d.shownPane(), f.noted(&f.opened))
	}
}

func TestSES3_NothingIsStored(t *testing.T) {
	d := drive(t, 80, 24, echoing("ok\n"))
	d.app.carryOut(command.Stored{})
	d.shows("[system] Nothing is stored: this desk keeps no sessions.")
	d.app.carryOut(command.Search{Words: "x"})
	d.until("two notes", func(s string) bool { return strings.Count(s, "Nothing is stored") == 2 })

	d = shelved(t, 80, 24, &fakeSessions{list: listing()})
	d.press("ctrl+x s")
	d.shows("No session is stored yet.")
	d.press("enter", "delete", "ctrl+o", "down", "pgdn")
	d.list()
}

func TestSES3_ASessionIsDeletedForGood(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("down", "delete")
	d.shows("Delete this session?", "Keep it", "Delete it", "its text is gone for good")
	d.screen.Golden(t, "sessions-delete-80x24")
	d.press("enter")
	d.list()
	d.press("delete", "down", "enter")
	d.shows("Read it first.")
	if got := f.noted(&f.removed); len(got) > 0 {
		t.Fatalf("a key that was typed before the question was seen removed %q", got)
	}
	d.wait(d.app.Quiet)
	d.press("enter")
	d.shows("3 sessions", "The session is deleted.")
	d.lacks("slow on")
	if got := f.noted(&f.removed); !slices.Equal(got, []string{"20191230-093000-bbbbbb"}) {
		t.Errorf("removed %q", got)
	}
	if i, ok := d.list().Selected(); !ok || i != 2 {
		t.Errorf("selected is %d, %v", i, ok)
	}
	f.remove = errors.New("remove the journal: no space left on the device")
	d.press("delete", "down")
	d.wait(d.app.Quiet)
	d.press("enter")
	d.shows("It is not deleted. Remove the journal: no space left on the device.", "3 sessions")
}

// TestT42_AQuestionThatWasNotSeenDeletesNothing has the timer of the gate fire
// late, as after a stop of the program.
func TestT42_AQuestionThatWasNotSeenDeletesNothing(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("delete")
	d.clock.Advance(time.Minute) // what it posts is run by the next frame
	d.clock.Advance(time.Minute)
	d.draw()
	d.press("down", "enter")
	if got := f.noted(&f.removed); len(got) > 0 {
		t.Fatalf("removed %q", got)
	}
	d.wait(d.app.Quiet)
	d.press("enter")
	d.until("the deletion", func(string) bool { return len(f.noted(&f.removed)) == 1 })
}

func TestSES3_WhatIsOpenIsNotDeleted(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("enter")
	d.until("the pane", func(string) bool { return d.shownPane() == 2 })
	d.press("ctrl+x s")
	d.shows("open · claude")
	d.press("delete")
	d.shows("It is open in 2: claude, so it stays.")
	d.list()
}

// TestSES3_AnErrorKeepsNoSessionAway has the list fail midway.
func TestSES3_AnErrorKeepsNoSessionAway(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	all := some(d.clock.Now())
	f.list = func(yield func(record.Summary, error) bool) {
		_ = yield(all[0], nil) && yield(record.Summary{}, errors.New("read 20191230-093000-bbbbbb: input/output error")) && yield(all[2], nil)
	}
	d.press("ctrl+x s")
	d.shows("2 sessions", "Fix the flaky panel test", "select * from customers", "Not all sessions could be listed: Read 20191230-093000-bbbbbb:", "input/output error.")
	d.press("down")
	d.shows("Not all sessions could be listed")
}

// TestSES3_TheListFillsWhileItIsUsed moves and types before the list is whole.
func TestSES3_TheListFillsWhileItIsUsed(t *testing.T) {
	const first, many = 60, 10_000
	goOn := make(chan struct{})
	f := &fakeSessions{list: func(yield func(record.Summary, error) bool) {
		for i := range many {
			if i == first {
				<-goOn
			}
			if !yield(record.Summary{ID: fmt.Sprint(i), Title: fmt.Sprintf("session %d", i), Agent: "claude"}, nil) {
				return
			}
		}
	}}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("50 sessions, still reading…", "session 0")
	d.press("down", "down")
	d.later("60 sessions, still reading…")
	if i, _ := d.list().Selected(); i != 2 {
		t.Errorf("selected is %d", i)
	}
	d.typed("session 7")
	d.shows("6 of 60 sessions, still reading…")
	close(goOn)
	d.shows("3439 of 10000 sessions")
	d.typed("77")
	d.shows("19 of 10000 sessions")
	d.press("end")
	if i, _ := d.list().Selected(); i != 9777 {
		t.Errorf("selected is %d", i)
	}
	d.press("backspace", "backspace", "pgdn", "pgup", "enter")
	d.until("the pane", func(string) bool { return d.shownPane() == 2 })
	if got := f.noted(&f.opened); !slices.Equal(got, []string{"7"}) {
		t.Errorf("opened %q", got)
	}
}

// TestSES3_ThePreviewWaitsForTheSelectionToRest counts what is read.
func TestSES3_ThePreviewWaitsForTheSelectionToRest(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 120, 40, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("down", "down", "up")
	d.wait(previewRest - 20*time.Millisecond)
	if got := f.noted(&f.reads); len(got) > 0 {
		t.Fatalf("while the selection moved %q was read", got)
	}
	d.wait(20 * time.Millisecond)
	d.shows("I read 20191230-093000-bbbbbb.")
	d.press("up")
	d.wait(previewRest)
	d.shows("I read 20200101-093000-aaaaaa.")
	d.press("down")
	d.shows("I read 20191230-093000-bbbbbb.")
	d.wait(previewRest)
	if got := f.noted(&f.reads); len(got) != 2 {
		t.Errorf("read %q", got)
	}
}

func TestSES3_APreviewThatIsNoLongerWantedIsGivenUp(t *testing.T) {
	gaveUp := make(chan struct{})
	f := &fakeSessions{read: func(ctx context.Context, id string) (desk.Past, error) {
		<-ctx.Done()
		close(gaveUp)
		return desk.Past{}, ctx.Err()
	}}
	d := shelved(t, 120, 40, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.wait(previewRest)
	d.shows("Reading…")
	d.press("esc")
	<-gaveUp
	if n := d.clock.Pending(); n > 1 { // one is the toast's
		t.Errorf("%d timers run after the list was closed", n)
	}
}

// TestSES3_NoPreviewIsReadWhereThereIsNoRoom holds that a small screen reads
// nothing.
func TestSES3_NoPreviewIsReadWhereThereIsNoRoom(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.wait(2 * previewRest)
	if got := f.noted(&f.reads); len(got) > 0 {
		t.Errorf("read %q", got)
	}
	d.resize(120, 40)
	d.wait(previewRest)
	d.shows("I read 20200101-093000-aaaaaa.")
}

func TestFolderAndBytesAreShort(t *testing.T) {
	d := drive(t, 80, 24, echoing(""))
	for _, c := range []struct {
		dir   string
		width int
		want  string
	}{{"~/src", 5, "~/src"}, {"~/src/app", 5, "‹/app"}, {"/日本語", 5, "‹本語"}, {"/日本語", 4, "‹語"}, {"abc", 0, ""}} {
		if got := folder(d.app.Theme, c.dir, c.width); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.dir, c.width, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9_949: "9.9 kB", 9_951: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB", 3_000_000_000: "3.0 GB", 5e15: "5000 TB"} {
		if got := bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// TestT26_WhatIsStoredIsCleaned puts control characters into every text of a
// session.
func TestT26_WhatIsStoredIsCleaned(t *testing.T) {
	evil := "x\x1b]0;pwn\x07\x1b[2J\u202e\xff"
	f := &fakeSessions{
		list: listing(record.Summary{ID: "1", Title: evil, Agent: evil, Dir: evil + "/dir"}),
		open: func(string) (Pane, error) { return nil, errors.New(evil) },
		search: func(context.Context, string) iter.Seq2[record.Hit, error] {
			return func(yield func(record.Hit, error) bool) {
				_ = yield(record.Hit{Summary: record.Summary{ID: "1", Title: evil}, Who: evil, Text: text.CleanLine(evil), Where: [][2]int{{-1, 4}, {3, 900}, {2, 1}, {0, 1}}}, nil) &&
					yield(record.Hit{}, errors.New(evil))
			}
		},
		read: func(context.Context, string) (desk.Past, error) { return desk.Past{}, errors.New(evil) },
	}
	d := shelved(t, 120, 40, f)
	d.press("ctrl+x s")
	d.shows("1 session", "␛[2J")
	d.wait(previewRest)
	d.shows("It could not be read: X␛]0;pwn")
	d.press("enter")
	d.shows("Ctrl+O reads it.")
	d.press("ctrl+o")
	d.shows("It could not be read")
	d.typed("x")
	d.press("ctrl+f")
	d.shows("1 hit in 1 session", "Not everything could be searched: X␛]0;pwn")
}

// TestT64_AHugeLineIsNotDrawnWhole previews and finds lines of megabytes.
func TestT64_AHugeLineIsNotDrawnWhole(t *testing.T) {
	huge := strings.Repeat("日", 1<<20)
	if got := lastLines([]panel.Shown{{Line: text.Line{Text: huge}}}); len(got[0].Text) > previewBytes || !strings.HasPrefix(huge, got[0].Text) {
		t.Errorf("%d bytes of a line are previewed", len(got[0].Text))
	}
	if got := cleanSummary(record.Summary{Title: huge}); len(got.Title) > summaryBytes {
		t.Errorf("a title has %d bytes", len(got.Title))
	}
	at := 2_000_000 / 3 * 3
	h := around(record.Hit{Text: huge[:at] + "found" + huge[at:], Where: [][2]int{{at, at + 5}, {at + 2000, at + 2003}}})
	if len(h.Text) > 2*hitBytes || len(h.Where) != 1 || h.Text[h.Where[0][0]:h.Where[0][1]] != "found" {
		t.Errorf("%d bytes are kept of a hit, the words are at %v", len(h.Text), h.Where)
	}
}

var _ dialog.Modal = (*storedList)(nil)

package ui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/record"
	"copydesk/ui/theme"
)

// hit is a line of a session in which a word stands.
func hit(s record.Summary, who, line string, words ...string) record.Hit {
	h := record.Hit{Summary: s, Who: who, Text: line}
	for _, w := range words {
		at := strings.Index(line, w)
		h.Where = append(h.Where, [2]int{at, at + len(w)})
	}
	return h
}

func hitting(hits ...record.Hit) func(context.Context, string) iter.Seq2[record.Hit, error] {
	return func(context.Context, string) iter.Seq2[record.Hit, error] {
		return func(yield func(record.Hit, error) bool) {
			for _, h := range hits {
				if !yield(h, nil) {
					return
				}
			}
		}
	}
}

// someHits are hits in two sessions.
func someHits(now time.Time) []record.Hit {
	s := some(now)
	long := strings.Repeat("what stands before it ", 20) + "the panel test is flaky because of the clock, " + strings.Repeat("and so on ", 20)
	return []record.Hit{
		hit(s[0], "you", "Fix the flaky panel test", "flaky", "test"),
		hit(s[0], "claude", long, "test", "flaky"),
		hit(s[1], "tool", "日本語のテスト flaky 日本語のテスト test", "flaky", "test"),
	}
}

func TestSES3_SearchScreens(t *testing.T) {
	eachLook(screenSizes, func(suffix string, o theme.Options, w, h int) {
		f := &fakeSessions{}
		d := shelved(t, w, h, f)
		f.search = hitting(someHits(d.clock.Now())...)
		d.paint(o)
		d.typed("/search flaky test\n")
		d.until("the end of the search", func(string) bool { return d.hits().all })
		d.screen.Golden(t, "search"+suffix)
	})
}

func TestSES3_HitsComeWhileTheSearchGoesOn(t *testing.T) {
	goOn := make(chan struct{})
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	hits := someHits(d.clock.Now())
	f.search = func(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
		return func(yield func(record.Hit, error) bool) {
			if !yield(hits[0], nil) || !yield(hits[1], nil) {
				return
			}
			<-goOn
			_ = yield(record.Hit{}, errors.New("read 1: input/output error")) && yield(hits[2], nil)
		}
	}
	d.app.carryOut(command.Search{Words: "flaky test"})
	d.shows("/ flaky test")
	d.later("2 hits in 1 session, still searching…", "Fix the flaky panel test", "the panel test is", "you · today 11:00", "claude · today 11:00")
	d.press("down")
	close(goOn)
	d.shows("3 hits in 2 sessions", "tool · 2019-12-30", "Not everything could be searched: Read 1: input/output error.")
	d.lacks("still searching")
	if i, _ := d.hits().Selected(); i != 1 {
		t.Errorf("selected is %d", i)
	}
	d.press("down", "enter")
	d.until("the pane", func(string) bool { return d.shownPane() == 2 })
	if got := f.noted(&f.opened); !slices.Equal(got, []string{"20191230-093000-bbbbbb"}) || d.app.stack.Top() != nil {
		t.Errorf("opened %q", got)
	}
}

// TestSES3_EscapeCancelsTheSearch closes the hits while the search goes on.
func TestSES3_EscapeCancelsTheSearch(t *testing.T) {
	gaveUp := make(chan struct{})
	f := &fakeSessions{search: func(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
		return func(func(record.Hit, error) bool) {
			<-ctx.Done()
			close(gaveUp)
		}
	}}
	d := shelved(t, 80, 24, f)
	d.app.carryOut(command.Search{Words: "x"})
	d.shows("Searching…")
	d.press("esc")
	<-gaveUp
	if d.app.stack.Top() != nil {
		t.Errorf("on top is %T", d.app.stack.Top())
	}
}

// TestSES3_OtherWordsAreSearchedAnew types on while a search runs.
func TestSES3_OtherWordsAreSearchedAnew(t *testing.T) {
	var gaveUp = make(chan string, 10)
	f := &fakeSessions{}
	f.search = func(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
		return func(yield func(record.Hit, error) bool) {
			if !yield(hit(record.Summary{ID: words}, "you", "the line has "+words), nil) {
				return
			}
			<-ctx.Done()
			gaveUp <- words
		}
	}
	d := shelved(t, 80, 24, f)
	d.app.carryOut(command.Search{Words: "fla"})
	d.shows("the line has fla")
	d.typed("k")
	if got := <-gaveUp; got != "fla" {
		t.Errorf("the search for %q was given up", got)
	}
	d.typed("y")
	d.later("the line has flaky", "1 hit in 1 session, still searching…")
	for range 5 {
		d.press("backspace")
	}
	d.wait(findRest)
	d.shows("Type the words to look for.")
	d.lacks("the line has")
	if got := f.noted(&f.sought); !slices.Equal(got, []string{"fla", "flaky"}) {
		t.Errorf("searched were %q", got)
	}
}

func TestSES3_TooManyHitsEndTheSearch(t *testing.T) {
	ended := make(chan int, 1)
	f := &fakeSessions{search: func(context.Context, string) iter.Seq2[record.Hit, error] {
		return func(yield func(record.Hit, error) bool) {
			n := 0
			for yield(hit(record.Summary{ID: fmt.Sprint(n % 7)}, "you", "x"), nil) {
				n++
			}
			ended <- n
		}
	}}
	d := shelved(t, 80, 24, f)
	d.app.carryOut(command.Search{Words: "x"})
	d.shows("more than 2000 hits in 7 sessions")
	if n := <-ended; n != hitsShown {
		t.Errorf("%d hits were taken", n)
	}
	if n := d.hits().Len(); n != hitsShown {
		t.Errorf("%d hits are shown", n)
	}
}

// TestSES3_WhatNoTitleHasIsSearchedInTheText goes from the list to the hits and
// back.
func TestSES3_WhatNoTitleHasIsSearchedInTheText(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	f.search = hitting(someHits(d.clock.Now())...)
	d.press("ctrl+x s")
	d.shows("4 sessions")
	d.press("ctrl+f")
	d.shows("Type the words to look for first.")
	d.typed("clock because")
	d.shows("0 of 4 sessions", "Nothing is called so. Enter looks in the text of all sessions.")
	d.press("enter")
	d.shows("Search in all sessions", "/ clock because", "3 hits in 2 sessions")
	d.press("esc")
	d.shows("Nothing is called so.")
	d.list()
	d.press("ctrl+f")
	d.shows("3 hits in 2 sessions")
	if got := f.noted(&f.sought); !slices.Equal(got, []string{"clock because", "clock because"}) {
		t.Errorf("searched were %q", got)
	}
	d.press("ctrl+o")
	d.shows("to be read only", "I read 20200101-093000-aaaaaa.")
	d.press("esc", "esc", "esc")
	if d.app.stack.Top() != nil {
		t.Errorf("on top is %T", d.app.stack.Top())
	}
}

// TestSES3_AHitIsOpenedAtItsWords opens a session by a hit in it.
func TestSES3_AHitIsOpenedAtItsWords(t *testing.T) {
	f := &fakeSessions{}
	d := shelved(t, 80, 24, f)
	f.search = hitting(someHits(d.clock.Now())...)
	f.open = func(id string) (Pane, error) {
		p := d.desk.Open(namedAgent{echoing("ok\n"), "claude"}, desk.PaneOptions{Title: "claude · test", Journal: &keeper{id: id}})
		for i := range 60 {
			p.Note(fmt.Sprintf("line %d", i), false)
			if i == 10 {
				p.Note("a flaky thing", false)
			}
		}
		return p, nil
	}
	d.typed("/search flaky test\n")
	d.until("the end of the search", func(string) bool { return d.hits().all })
	d.press("enter")
	d.shows("a flaky thing", "/flaky  1 of 1")
	d.press("esc")
	d.lacks("/flaky")
	d.shows("a flaky thing")
}

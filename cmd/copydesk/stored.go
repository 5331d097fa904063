package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/desk"
	"copydesk/core/markdown"
	"copydesk/core/record"
	"copydesk/platform/journal"
	"copydesk/platform/journal/shelf"
	"copydesk/ui"
)

// sessionsDir is where sessions are stored, below the state folder.
const sessionsDir = "sessions"

// storeOf is the store of sessions in a state folder. changed is called when the
// health of a journal is another; it may be nil.
func storeOf(state string, r running, changed func()) *journal.Store {
	return journal.New(journal.Options{
		Dir: filepath.Join(state, sessionsDir), Program: version,
		Now: time.Now, After: r.after, Go: r.start, Log: r.log, Changed: changed,
	})
}

// writable says why nothing could be stored in the state folder; nil: it can be
// (R23).
func writable(state string) error {
	dir := filepath.Join(state, sessionsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// stored is the stored sessions as the front end sees them.
type stored struct {
	panes
	shelf     *shelf.Shelf
	highlight markdown.Highlighter
}

// List lists the sessions, newest first.
func (s stored) List(ctx context.Context) iter.Seq2[record.Summary, error] { return s.shelf.List(ctx) }

// Search looks for words in all sessions.
func (s stored) Search(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
	return s.shelf.Search(ctx, words)
}

// Read reads a session without taking it.
func (s stored) Read(ctx context.Context, id string) (desk.Past, error) {
	records, _ := s.store.Read(ctx, id)
	return desk.Read(desk.Deps{Now: time.Now, Highlight: s.highlight, PanelLines: core.PanelLines}, records)
}

// Remove deletes a session.
func (s stored) Remove(id string) error { return s.store.Remove(id) }

// Open brings a session back. It takes the place of the only pane when nothing
// has been done there.
func (s stored) Open(id string) (ui.Pane, error) {
	before := s.Desk.Panes()
	p, err := s.resume(context.Background(), id, "")
	if err != nil {
		return nil, err
	}
	if len(before) == 1 && before[0] != p && before[0].Blank() {
		s.ClosePane(before[0])
	}
	return p, nil
}

// resume brings a session back in a pane of its own, with the agent that it had
// last or another one; or it finds the pane that has it. The error is for the
// user.
func (p panes) resume(ctx context.Context, id, agent string) (*desk.Pane, error) {
	open := p.Desk.Panes()
	if i := slices.IndexFunc(open, func(q *desk.Pane) bool { return q.Session() == id }); i >= 0 {
		return open[i], nil
	}
	kept, err := p.store.Open(id)
	if err != nil {
		return nil, fmt.Errorf("the session cannot be brought back: %w", err)
	}
	seat := lastSeat(kept.Records(ctx))
	if agent == "" {
		agent = seat.Agent
	}
	with, shown, err := p.agents.openIn(ctx, agent, seat.Dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the session cannot go on with %s: %w", agent, err), kept.Close())
	}
	shown.Journal = kept
	pane := p.Desk.Open(with, shown)
	if skipped := kept.Skipped(); skipped.Records > 0 {
		pane.Note(fmt.Sprintf("%d damaged record(s) of the session were skipped; its file is as it was.", skipped.Records), true)
	}
	if agent == config.PlaygroundName && seat.Title != "" && seat.Title != shown.Title {
		pane.Note("This was "+seat.Title+" before, and goes on as "+shown.Title+".", false)
	}
	return pane, nil
}

// lastSeat is the agent that a session had last.
func lastSeat(records iter.Seq2[record.Record, error]) record.Seat {
	seat := record.Seat{Agent: config.PlaygroundName}
	for r, err := range records {
		if err != nil {
			break
		}
		switch e := r.Entry.(type) {
		case record.Header:
			seat = e.Seat
		case record.Switched:
			seat = e.Seat
		}
	}
	return seat
}

// seatOf is an agent as a journal names it.
func seatOf(name string, o desk.PaneOptions) record.Seat {
	return record.Seat{Agent: name, Title: o.Title, Hint: o.Hint, Loose: o.Loose, Dir: o.Dir}
}

// which finds the session that words on the command line name: an id, the
// beginning of one, or nothing for the newest one of this folder, else of any.
func which(ctx context.Context, s *shelf.Shelf, dir, id string) (string, error) {
	if id == "" {
		for _, in := range []string{dir, ""} {
			if found, ok, err := s.Latest(ctx, in); ok || err != nil {
				return found.ID, err
			}
		}
		return "", errors.New("no session is stored yet")
	}
	if journal.ValidID(id) {
		return id, nil
	}
	var found []string
	for summary, err := range s.List(ctx) {
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(summary.ID, id) {
			found = append(found, summary.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no session %q; copydesk sessions list lists them", id)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d sessions begin with %q; write more of the id", len(found), id)
}

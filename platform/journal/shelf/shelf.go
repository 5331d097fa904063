// Package shelf is the many sessions that are stored: which there are, and where
// in them something was said. It reads and never locks, so it does not matter
// whether a session is open somewhere.
package shelf

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"

	"copydesk/core/record"
)

// A Store reads one session: all records that can be read in order, an error as
// the last one. A *journal.Store does.
type Store interface {
	Read(ctx context.Context, id string) (iter.Seq2[record.Record, error], func() record.Skipped)
}

// Options is what a Shelf needs.
type Options struct {
	Dir   string       // the folder of the sessions
	Store Store        // the same folder
	Log   *slog.Logger // may be nil
}

// A Shelf is a folder of sessions. Any goroutine may call its methods.
type Shelf struct {
	o     Options
	index sync.Mutex // held while the index is written
}

// New makes a shelf. It touches no disk.
func New(o Options) *Shelf {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Shelf{o: o}
}

// List yields all sessions, that which changed last first (SES 3, D8). Each is
// yielded before the next one is looked at, and those that have not changed since
// an earlier List are not read at all. Of a damaged session there is what can be
// known: its id, size and times. Agent is the one that was named last, Dir the
// folder that the session began in; both are raw, Title is clean. An error ends
// the list; a folder that is not there is an empty one.
func (s *Shelf) List(ctx context.Context) iter.Seq2[record.Summary, error] {
	return func(yield func(record.Summary, error) bool) {
		list, err := sessions(ctx, s.o.Dir)
		if err != nil {
			yield(record.Summary{}, fmt.Errorf("list the sessions: %w", err))
			return
		}
		known, fresh := s.readIndex(), 0
		if known == nil {
			known = summaries{}
		}
		defer func() {
			if fresh < worth {
				return
			}
			if err := s.writeIndex(list, known); err != nil {
				s.o.Log.Warn("listing the sessions stays slow", "reason", err)
			}
		}()
		for _, t := range list {
			if err := ctx.Err(); err != nil {
				yield(record.Summary{}, fmt.Errorf("list the sessions: %w", err))
				return
			}
			sum, ok := known.of(t)
			if !ok {
				sum = s.look(t)
				known[t.id] = indexed{t.bytes, t.changed.UnixNano(), sum}
				fresh++
			}
			if !yield(sum, nil) {
				return
			}
		}
	}
}

// Latest returns the session of a folder that changed last, and whether there is
// one; dir "" stands for any folder.
func (s *Shelf) Latest(ctx context.Context, dir string) (record.Summary, bool, error) {
	if dir != "" {
		dir = filepath.Clean(dir)
	}
	for sum, err := range s.List(ctx) {
		if err != nil {
			return record.Summary{}, false, err
		}
		if dir == "" || sum.Dir != "" && filepath.Clean(sum.Dir) == dir {
			return sum, true, nil
		}
	}
	return record.Summary{}, false, nil
}

package shelf

import (
	"context"
	"fmt"
	"iter"

	"copydesk/core/record"
)

// mostHits is how many hits of one session are yielded.
const mostHits = 50

// Search finds words (see Parse) in prompts, answers, thoughts, tool calls, notes,
// errors, requests and decisions of all sessions (SES 3). A hit is a line that
// has all words. In a turn without such a line that has all of them on several,
// it is the line with the most; a turn is a prompt and all up to the next one.
//
// Lines are what the records of one passage say when they are joined, and are
// cleaned. One of more than 4 KiB is searched in pieces that overlap. A line that
// a tool or a plan shows again in the same turn is one hit. Hit.Seq is the first
// record of the passage that the line is in, of a tool's the first of the call.
//
// Hits come while it searches: of the session that changed last first, in the
// order of the session, at most 50 of each. A session that cannot be read is
// passed over and logged. An error, that of ctx too, ends the search; words
// without a word find nothing. A few MiB are held, whatever is searched.
func (s *Shelf) Search(ctx context.Context, words string) iter.Seq2[record.Hit, error] {
	return s.search(ctx, Parse(words), true)
}

// search is Search, with or without the sieve, which changes no hit.
func (s *Shelf) search(ctx context.Context, q Query, sift bool) iter.Seq2[record.Hit, error] {
	return func(yield func(record.Hit, error) bool) {
		if q.Empty() {
			return
		}
		list, err := sessions(ctx, s.o.Dir)
		sieve := newSieve(q)
		for _, t := range list {
			if ctx.Err() != nil {
				break
			}
			if sift && !sieve.passes(ctx, s, t) {
				continue
			}
			if !s.searchOne(ctx, q, t, func(h record.Hit) bool { return yield(h, nil) }) {
				return
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(record.Hit{}, fmt.Errorf("search the sessions: %w", err))
		}
	}
}

// searchOne yields the hits of one session, and reports whether more are wanted.
func (s *Shelf) searchOne(ctx context.Context, q Query, t *stored, yield func(record.Hit) bool) bool {
	wanted, hits := true, 0
	var sum record.Summary
	scan := newScan(q, func(h record.Hit) bool {
		if hits == 0 {
			sum = s.look(t)
		}
		hits++
		h.Summary = sum
		wanted = yield(h)
		return wanted && hits < mostHits
	})
	records, _ := s.o.Store.Read(ctx, t.id)
	for r, err := range records {
		if err != nil {
			if ctx.Err() == nil {
				s.o.Log.Warn("a session cannot be searched", "session", t.id, "reason", err)
			}
			break
		}
		if scan.add(r); scan.over {
			return wanted
		}
	}
	if ctx.Err() == nil {
		scan.turn()
	}
	return wanted
}

package session

import (
	"errors"
	"slices"
	"strconv"
)

// The reasons why an answer is not taken.
var (
	ErrGone    = errors.New("that request has been answered or withdrawn")
	ErrChanged = errors.New("that request has changed since it was shown")
)

// An Inbox holds the requests that wait for an answer, first come first
// served (REQ 4). It is not safe for concurrent use: the pane that owns it
// locks, which makes the first answer win.
type Inbox struct {
	last int
	open []Pending
}

// Add takes a request in and names it.
func (b *Inbox) Add(r *Request) Pending {
	b.last++
	p := Pending{ID: "r" + strconv.Itoa(b.last), Digest: r.Digest(), Request: r}
	b.open = append(b.open, p)
	return p
}

// Take removes the request that an answer is for. It fails with ErrGone when
// it is not open, with ErrChanged when the digest is not the one that was
// shown, and with the request's own reason when the answer does not fit; the
// request stays open then.
func (b *Inbox) Take(id, digest string, a Answer) (Pending, error) {
	i := slices.IndexFunc(b.open, func(p Pending) bool { return p.ID == id })
	if i < 0 {
		return Pending{}, ErrGone
	}
	p := b.open[i]
	if p.Digest != digest {
		return Pending{}, ErrChanged
	}
	if err := p.Request.Accepts(a); err != nil {
		return Pending{}, err
	}
	b.open = slices.Delete(b.open, i, i+1)
	return p, nil
}

// Replace puts a request in the place of one that waits. It keeps the name, and
// has a digest of its own, so that no answer to what was shown before counts
// (T47). It reports whether the old one was waiting.
func (b *Inbox) Replace(old, new *Request) bool {
	i := b.index(old)
	if i >= 0 {
		b.open[i].Digest, b.open[i].Request = new.Digest(), new
	}
	return i >= 0
}

// Remove takes a request back and reports whether it was waiting.
func (b *Inbox) Remove(r *Request) bool {
	i := b.index(r)
	if i >= 0 {
		b.open = slices.Delete(b.open, i, i+1)
	}
	return i >= 0
}

func (b *Inbox) index(r *Request) int {
	return slices.IndexFunc(b.open, func(p Pending) bool { return p.Request == r })
}

// Name is how a waiting request is named; empty: it does not wait.
func (b *Inbox) Name(r *Request) string {
	if i := b.index(r); i >= 0 {
		return b.open[i].ID
	}
	return ""
}

// Open returns the waiting requests, oldest first, as a copy.
func (b *Inbox) Open() []Pending { return slices.Clone(b.open) }

package term

import (
	"sync"
	"time"

	"copydesk/core"
)

// announcer writes titles and bells at a bounded rate (T68).
type announcer struct {
	now   func() time.Time
	after func(time.Duration, func())
	write func([]byte) error
	on    bool // the terminal takes titles
	ascii bool // and shows no more than ASCII

	mu      sync.Mutex
	title   string
	shown   string
	titleAt time.Time
	waiting bool // a later write is under way
	bellAt  time.Time
}

func newAnnouncer(now func() time.Time, after func(time.Duration, func()), write func([]byte) error, titles bool) *announcer {
	return &announcer{now: now, after: after, write: write, on: titles}
}

// setTitle shows the title now, or when core.TitleEvery has passed since the
// last one.
func (a *announcer) setTitle(title string) {
	title = cleanTitle(title)
	if a.ascii {
		title = asciiTitle(title)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.title = title
	if !a.on || a.waiting || title == a.shown {
		return
	}
	if d := core.TitleEvery - a.now().Sub(a.titleAt); d > 0 {
		a.waiting = true
		a.after(d, a.due)
		return
	}
	a.show()
}

func (a *announcer) due() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = false
	if a.title != a.shown {
		a.show()
	}
}

// again shows the title once more, after another program had the terminal.
func (a *announcer) again() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.on && a.title != "" && !a.waiting {
		a.show()
	}
}

// show writes the title as one OSC 2. A refused write is made up for by again.
func (a *announcer) show() {
	a.titleAt = a.now()
	a.shown = a.title
	_ = a.write([]byte("\x1b]2;" + a.title + "\x1b\\"))
}

func (a *announcer) bell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if now.Sub(a.bellAt) < core.BellEvery {
		return
	}
	a.bellAt = now
	_ = a.write([]byte{0x07})
}

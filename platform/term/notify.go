package term

import (
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"copydesk/core/text"
)

// A caller calls the user, as its attention decides.
type caller struct {
	now      func() time.Time
	after    func(time.Duration, func())
	write    func([]byte) error
	announce *announcer
	desktop  desktop

	mu    sync.Mutex // held for moments only: the input goroutine takes it too
	state attention

	titles sync.Mutex // held while a title is on its way, so that the last one wins
	title  string     // the last one that went that way; guarded by titles
}

// change changes the state and brings the title into line with it.
func (c *caller) change(f func(*attention)) {
	c.mu.Lock()
	f(&c.state)
	c.mu.Unlock()
	c.retitle()
}

func (c *caller) retitle() {
	c.titles.Lock()
	defer c.titles.Unlock()
	c.mu.Lock()
	title := c.state.shown()
	c.mu.Unlock()
	if title != c.title {
		c.title = title
		c.announce.setTitle(title)
	}
}

// look takes a focus report. It does not block: the title is written by a
// goroutine of its own, through after.
func (c *caller) look(focused bool) {
	c.mu.Lock()
	c.state.look(focused)
	c.mu.Unlock()
	c.after(0, c.retitle)
}

// forget is attention.forget; it leaves the title to what shows it again.
func (c *caller) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.forget()
}

func (c *caller) notify(n notice) {
	c.mu.Lock()
	call, wait := c.state.ask(n, c.now())
	c.mu.Unlock()
	if wait > 0 {
		c.after(wait, c.due)
	}
	if call {
		c.call(n)
	}
}

func (c *caller) due() {
	c.mu.Lock()
	n, call := c.state.due(c.now())
	c.mu.Unlock()
	if call {
		c.call(n)
	}
}

// call writes a notice. One that is refused is lost: the terminal is not ours,
// and whoever has it does not want it.
func (c *caller) call(n notice) {
	c.mu.Lock()
	how := c.state.notices
	c.mu.Unlock()
	if how.Desktop && c.desktop.form != noForm {
		_ = c.write(c.desktop.sequence(n))
	}
	if how.Bell || how.Desktop && !c.desktop.sure() {
		c.announce.bell()
	}
}

// SetNotices says how the user is called from now on. Nobody is called before.
func (t *Terminal) SetNotices(n Notices) {
	t.caller.change(func(a *attention) { a.notices = n })
}

// Focus tells whether the window has the focus. It is not known before the
// terminal has said so for the first time, and anew after the terminal was in
// other hands; many terminals never say it, nor does tmux unless its
// focus-events is on.
func (t *Terminal) Focus() (focused, known bool) {
	t.caller.mu.Lock()
	defer t.caller.mu.Unlock()
	return t.caller.state.focused, t.caller.state.known
}

// SetTitle sets the window title, cleaned and cut to core.TitleCells, at most
// once in core.TitleEvery; the last value wins (T68).
func (t *Terminal) SetTitle(title string) {
	t.caller.change(func(a *attention) { a.title = title })
}

// SetWaiting gives the title that stands in for SetTitle's while something
// waits for a user who looks elsewhere, if the notices want that. With "" nothing
// waits any more, and a notice that is not out yet is dropped.
func (t *Terminal) SetWaiting(title string) {
	t.caller.change(func(a *attention) { a.wait(title) })
}

// Notify calls a user who looks elsewhere, by the ways and at the times that
// SetNotices has set: title names what calls, body says why; both are cleaned
// and cut to noticeBytes in all. It does so at most once in core.NoticeEvery; a
// notice that comes too early goes out when that time is over, if it is still
// wanted then. It may block as long as the terminal does.
func (t *Terminal) Notify(title, body string) { t.caller.notify(notice{title, body}) }

// noticeBytes is the longest text of a notice, noticeTitle of its title, in
// bytes (T68). GNU screen loses a passed-on sequence above 766 bytes.
const (
	noticeBytes = 200
	noticeTitle = 60
)

// parts are the cleaned title and body.
func (n notice) parts() (title, body string) {
	title = noticeText(n.title, noticeTitle)
	return title, noticeText(n.body, noticeBytes-len(title)-len(": "))
}

// noticeText makes one line of at most limit bytes of any text. It can neither
// end the sequence it is sent in nor begin another field of it.
func noticeText(s string, limit int) string {
	s = text.CleanLine(s[:min(len(s), 4*noticeBytes)])
	s = strings.TrimSpace(strings.NewReplacer("\t", " ", ";", ",").Replace(s))
	var b strings.Builder
	for g := uniseg.NewGraphemes(s); g.Next() && b.Len()+len(g.Str()) <= limit; {
		b.WriteString(g.Str())
	}
	return strings.TrimSpace(b.String())
}

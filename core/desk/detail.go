package desk

import (
	"slices"
	"strings"

	"copydesk/core"
	"copydesk/core/panel"
	"copydesk/core/session"
)

// A Detail is something of which more is kept than the panel shows: a tool call
// or a passage of thought.
type Detail struct {
	ID     uint64     // as lines of the panel name it
	Kind   panel.Kind // Tool or Thought
	Title  string     // clean, one line
	Status session.Status
	Lines  int // of all its parts
}

// A DetailText is a detail in full. Its parts are raw, as they came.
type DetailText struct {
	Detail
	Parts   []session.Part
	Dropped int64 // how many bytes of it are no longer kept
}

// Details lists what is kept, newest first.
func (p *Pane) Details() []Detail {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Detail, 0, len(p.details.kept))
	for _, x := range slices.Backward(p.details.kept) {
		if head := x.head(); head.Title != "" {
			out = append(out, head)
		}
	}
	return out
}

// Detail returns one of them in full. It is false for one that is no longer
// kept.
func (p *Pane) Detail(id uint64) (DetailText, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.details.find(id); x != nil {
		return x.full(), true
	}
	return DetailText{}, false
}

// details keeps tool calls and thoughts within bounds (R8): each of them, and
// all of them together. The texts of the oldest go first, then they themselves.
type details struct {
	last uint64
	kept []*detail // oldest first
	size int       // of their parts, in bytes
}

// A detail belongs to one pane, whose lock guards it.
type detail struct {
	Detail
	parts   []part
	size    int
	dropped int64 // what went with whole parts
	gone    bool  // its text had to make room for others
}

// A part's text is in a stream once it grows or was too long.
type part struct {
	session.Part
	stream *session.Bounded
}

// partBytes is what a part takes besides its texts, roughly.
const partBytes = 64

func (d *details) add(kind panel.Kind, title string) *detail {
	d.last++
	x := &detail{Detail: Detail{ID: d.last, Kind: kind, Title: title}}
	if d.kept = append(d.kept, x); len(d.kept) > core.PanelLines {
		d.empty(d.kept[0])
		d.kept = slices.Delete(d.kept, 0, 1)
	}
	return x
}

func (d *details) find(id uint64) *detail {
	i, found := slices.BinarySearchFunc(d.kept, id, func(x *detail, id uint64) int { return int(x.ID) - int(id) })
	if !found {
		return nil
	}
	return d.kept[i]
}

// part returns a part of a detail as it came.
func (d *details) part(id uint64, i int) (session.Part, bool) {
	if x := d.find(id); x != nil && i < len(x.parts) {
		return x.parts[i].whole(), true
	}
	return session.Part{}, false
}

// set gives a detail other parts.
func (d *details) set(x *detail, parts []session.Part) {
	d.size -= x.size
	x.parts, x.size, x.dropped = nil, 0, 0
	for _, from := range parts {
		x.add(from)
	}
	d.size += x.size
	d.trim(x)
}

// grow adds a chunk of output to a detail.
func (d *details) grow(x *detail, chunk string) {
	d.size -= x.size
	x.grow(chunk)
	d.size += x.size
	d.trim(x)
}

// trim makes room, but not at the expense of the detail that grows.
func (d *details) trim(growing *detail) {
	for _, x := range d.kept {
		if d.size <= core.DetailsBytes {
			return
		}
		if x != growing {
			d.empty(x)
		}
	}
}

// empty lets go of a detail's text.
func (d *details) empty(x *detail) {
	if x.size == 0 {
		return
	}
	d.size -= x.size
	x.Title = x.head().Title
	for _, part := range x.parts {
		x.dropped += part.bytes()
	}
	x.parts, x.size, x.gone = nil, 0, true
}

func (x *detail) add(from session.Part) {
	room := core.DetailBytes - x.size - partBytes - len(from.Name) - len(from.Lang)
	if room <= 0 || x.gone {
		x.dropped += int64(len(from.Text))
		return
	}
	to := part{Part: from}
	if len(from.Text) > room {
		to.stream = session.NewBounded(room)
		to.stream.Write(from.Text)
		to.Text = ""
	}
	x.parts = append(x.parts, to)
	x.size = core.DetailBytes - room + to.held()
}

func (x *detail) grow(chunk string) {
	if n := len(x.parts); n == 0 || x.parts[n-1].Kind != session.OutputPart {
		if x.add(session.Part{Kind: session.OutputPart}); len(x.parts) == n {
			x.dropped += int64(len(chunk))
			return
		}
	}
	last := &x.parts[len(x.parts)-1]
	x.size -= last.held()
	if last.stream == nil {
		last.stream = session.NewBounded(core.DetailBytes - x.size)
		last.stream.Write(last.Text)
		last.Text = ""
	}
	last.stream.Write(chunk)
	x.size += last.held()
}

// held is how many bytes of a part's text are in memory.
func (p *part) held() int {
	if p.stream != nil {
		return p.stream.Len()
	}
	return len(p.Text)
}

// bytes is how long the part's text was.
func (p *part) bytes() int64 {
	if p.stream == nil {
		return int64(len(p.Text))
	}
	head, tail, dropped := p.stream.Cut()
	return int64(len(head)+len(tail)) + dropped
}

// raw is the part's text, with a line where something is missing.
func (p *part) raw() string {
	if p.stream != nil {
		return p.stream.String()
	}
	return p.Text
}

// whole is the part as front ends get it.
func (p *part) whole() session.Part {
	out := p.Part
	out.Text = p.raw()
	return out
}

func (x *detail) head() Detail {
	head := x.Detail
	for i := range x.parts {
		if content := x.parts[i].raw(); content != "" {
			head.Lines += lineCount(content)
		}
	}
	if head.Kind == panel.Thought && len(x.parts) > 0 {
		head.Title = firstLine(x.parts[0].raw())
	}
	return head
}

// firstLine is the first line that is not blank, as a title.
func firstLine(raw string) string {
	for line := range strings.Lines(raw) {
		if line = strings.TrimSpace(line); line != "" {
			return short(line)
		}
	}
	return ""
}

func (x *detail) full() DetailText {
	out := DetailText{Detail: x.head(), Dropped: x.dropped}
	for i := range x.parts {
		out.Parts = append(out.Parts, x.parts[i].whole())
		if s := x.parts[i].stream; s != nil {
			_, _, dropped := s.Cut()
			out.Dropped += dropped
		}
	}
	return out
}

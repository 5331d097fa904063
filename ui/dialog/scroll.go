package dialog

import "copydesk/core/text"

// A body is the part of a dialog that scrolls.
type body struct {
	passages []passage
	rows     []bodyRow
	width    int  // the rows are wrapped to; 0: not yet
	height   int  // in rows, at the last draw
	top      int  // the first row shown
	prompt   bool // the first passage is the prompt
	chase    int  // 1 + the choice to bring into view at the next draw; 0: none
}

func (b *body) overflows() bool { return len(b.rows) > b.height }

// atEnd reports whether the last row is in view.
func (b *body) atEnd() bool { return b.top+b.height >= len(b.rows) }

func (b *body) toEnd() {
	b.top = len(b.rows)
	b.clamp()
}

func (b *body) scroll(by int) {
	b.top += by
	b.clamp()
	b.chase = 0
}

func (b *body) clamp() { b.top = max(0, min(b.top, len(b.rows)-b.height)) }

// follow brings a choice into view at the next draw.
func (b *body) follow(choice int) { b.chase = choice + 1 }

// lay wraps the passages to a width and keeps the text at the top where it was.
// prompt says that the first of them is the prompt.
func (b *body) lay(passages []passage, prompt bool, width int) {
	var at bodyRow
	if b.top < len(b.rows) {
		at = b.rows[b.top]
	}
	held := len(b.rows) > 0 && b.top > 0
	switch {
	case prompt && !b.prompt:
		at.passage++
	case b.prompt && !prompt:
		at.passage--
	}
	b.passages, b.prompt, b.width = passages, prompt, width
	b.rows = wrap(passages, width)
	if !held {
		b.top = 0
		return
	}
	for i, r := range b.rows {
		if r.passage < at.passage || r.passage == at.passage && r.row.Start <= at.row.Start {
			b.top = i
		}
	}
}

// place sets the height and brings into view what is followed.
func (b *body) place(height int) {
	b.height = height
	if b.chase > 0 {
		// What is said of a choice comes into view with it, unless there is no
		// room for both.
		b.reach(func(p passage) bool { return p.near == b.chase })
		b.reach(func(p passage) bool { return p.choice == b.chase-1 })
	}
	b.clamp()
}

// reach scrolls to the rows of some passages.
func (b *body) reach(wanted func(passage) bool) {
	for i, r := range b.rows {
		if !wanted(b.passages[r.passage]) {
			continue
		}
		if i < b.top {
			b.top = i
		}
		if i >= b.top+b.height {
			b.top = i - b.height + 1
		}
	}
}

// shown calls f for each row on the screen with its place from the top.
func (b *body) shown(f func(y int, p passage, r bodyRow)) {
	for y := 0; y < b.height && b.top+y < len(b.rows); y++ {
		r := b.rows[b.top+y]
		f(y, b.passages[r.passage], r)
	}
}

// rowIndent returns where a row of a passage begins.
func (p passage) rowIndent(r text.Row) int {
	if r.Start > 0 {
		return p.indent + p.hang
	}
	return p.indent
}

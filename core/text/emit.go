package text

import (
	"strconv"
	"strings"

	"copydesk/core"
)

// start keeps a rune that begins a cluster.
func (p *pass) start(r rune, size int) {
	p.endRun()
	p.at += size
	p.base, p.last, p.marks = r, r, 0
}

// extend keeps a rune that adds to the open cluster.
func (p *pass) extend(r rune, size int) {
	p.at += size
	p.last = r
	p.marks++
}

// extendIf keeps a rune in the open cluster, or shows a token for it that
// counts as a mark, so that a flood of them ends like any other.
func (p *pass) extendIf(ok bool, r rune, size int) {
	if ok {
		p.extend(r, size)
		return
	}
	marks := p.marks
	p.token(r, size)
	if !p.strip {
		p.marks = marks + 1
	}
}

// overflow counts a rune that a full cluster has no room for.
func (p *pass) overflow(r rune, size int) {
	p.hidden++
	p.drop(size)
	if p.strip {
		return
	}
	p.last = r
	p.marks = core.MarksPerCell
	p.over++
}

// endRun shows how many runes the open cluster had no room for.
func (p *pass) endRun() {
	if p.over == 0 {
		return
	}
	p.replace("⟨+"+strconv.Itoa(p.over)+" marks⟩", 0)
	p.base, p.last, p.marks, p.over = '⟩', '⟩', 0, 0
}

// token shows a rune by its number.
func (p *pass) token(r rune, size int) {
	p.endRun()
	p.hidden++
	if p.strip {
		p.drop(size)
		return
	}
	hex := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	p.replace("<U+"+"0000"[min(len(hex), 4):]+hex+">", size)
	p.base, p.last, p.marks = '>', '>', 0
}

// replace puts other text in the place of the next size bytes.
func (p *pass) replace(s string, size int) {
	if p.out.Len() == 0 {
		p.out.Grow(len(p.src) + len(s))
	}
	p.drop(size)
	p.out.WriteString(s)
}

func (p *pass) drop(size int) {
	p.out.WriteString(p.src[p.copied:p.at])
	p.at += size
	p.copied = p.at
}

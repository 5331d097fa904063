package dialog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"copydesk/core"
	"copydesk/core/text"
)

// A Highlight returns the spans of lines of code in a language, one list for
// each line. lang is a chroma lexer's name. The lines are clean and hold no line
// end; a result of another length is not used.
type Highlight func(lang string, lines []string) [][]text.Span

// A revealer turns what an agent asks into lines that hide nothing: runs of
// blanks and of empty lines that would push something out of sight are shown as
// counted tokens (T44).
type revealer struct {
	open, shut string // around a token
}

func newRevealer(ascii bool) revealer {
	if ascii {
		return revealer{"<", ">"}
	}
	return revealer{"⟨", "⟩"}
}

func (v revealer) token(n int, what string) string {
	return fmt.Sprintf("%s%d %s%s", v.open, n, what, v.shut)
}

// lines returns a value of an agent's, cleaned, as lines. A line end at its very
// end makes no line of its own.
func (v revealer) lines(raw string, base text.Style, paint func([]string) [][]text.Span) []text.Line {
	clean := strings.Split(text.Clean(raw), "\n")
	if n := len(clean); n > 1 && clean[n-1] == "" {
		clean = clean[:n-1]
	}
	var spans [][]text.Span
	if paint != nil {
		if spans = paint(clean); len(spans) != len(clean) {
			spans = nil
		}
	}
	var out []text.Line
	for i := 0; i < len(clean); {
		n := 0
		for i+n < len(clean) && allBlank(clean[i+n]) {
			n++
		}
		if n >= core.HiddenBlankLines {
			t := v.token(n, "empty lines")
			out = append(out, text.Line{Text: t, Spans: []text.Span{{Len: len(t), Style: text.Warning}}})
			i += n
			continue
		}
		for n = max(n, 1); n > 0; n-- {
			var of []text.Span
			if spans != nil {
				of = spans[i]
			}
			out = append(out, v.line(clean[i], base, of))
			i++
		}
	}
	return out
}

// one returns a name, a label or a prompt as one line.
func (v revealer) one(raw string, base text.Style) text.Line {
	return v.line(text.CleanLine(raw), base, nil)
}

// line replaces the long runs of blanks in one clean line. Bytes that no span
// reaches get the base style.
func (v revealer) line(s string, base text.Style, spans []text.Span) text.Line {
	styles := make([]text.Style, len(s))
	at := 0
	for _, sp := range spans {
		for end := min(at+sp.Len, len(s)); at < end; at++ {
			styles[at] = sp.Style
		}
	}
	for ; at < len(s); at++ {
		styles[at] = base
	}
	var b lineBuilder
	for i := 0; i < len(s); {
		if n, end, what := blankRun(s[i:]); n > 0 {
			if n >= core.HiddenBlanks {
				b.add(v.token(n, what), text.Warning)
			} else {
				b.add(s[i:i+end], styles[i])
			}
			i += end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.add(s[i:i+size], styles[i])
		i += size
	}
	return b.line()
}

// blankRun counts the blanks that s begins with; end is where they end in bytes.
// Nothing invisible can break a run: text.Clean has drawn it.
func blankRun(s string) (n, end int, what string) {
	what = "spaces"
	for i, r := range s {
		switch {
		case blank(r):
			n++
			if r != ' ' {
				what = "blanks"
			}
		default:
			return n, i, what
		}
	}
	return n, len(s), what
}

func allBlank(s string) bool {
	_, end, _ := blankRun(s)
	return end == len(s)
}

// blank reports whether a character is drawn as nothing but takes room. U+2800
// is the empty Braille pattern, the others are the Hangul fillers.
func blank(r rune) bool {
	switch r {
	case '\u2800', '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsSpace(r)
}

// A lineBuilder joins styled pieces to a line.
type lineBuilder struct {
	text  strings.Builder
	spans []text.Span
}

func (b *lineBuilder) add(s string, style text.Style) {
	if s == "" {
		return
	}
	b.text.WriteString(s)
	if n := len(b.spans); n > 0 && b.spans[n-1].Style == style {
		b.spans[n-1].Len += len(s)
		return
	}
	b.spans = append(b.spans, text.Span{Len: len(s), Style: style})
}

func (b *lineBuilder) addLine(l text.Line) {
	at := 0
	for _, sp := range l.Spans {
		end := min(at+sp.Len, len(l.Text))
		b.add(l.Text[at:end], sp.Style)
		at = end
	}
	b.add(l.Text[at:], text.Plain)
}

func (b *lineBuilder) line() text.Line {
	return text.Line{Text: b.text.String(), Spans: b.spans}
}

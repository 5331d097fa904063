package dialog

import (
	"fmt"
	"path"
	"strings"

	"copydesk/core/text"
)

// diffLang is the language of a unified diff.
const diffLang = "diff"

// showLineEnds makes the carriage returns before line ends visible: a change of
// line ends is a change.
func showLineEnds(diff string) string { return strings.ReplaceAll(diff, "\r\n", "\u240d\n") }

// paintDiff styles the lines of a unified diff. What is neither added nor
// removed is highlighted as code of the file's language.
func (c composer) paintDiff(lines []string) [][]text.Span {
	spans := make([][]text.Span, len(lines))
	lang := ""
	for i := 0; i < len(lines); {
		if before, after, ok := hunkHeader(lines[i]); ok {
			spans[i] = whole(lines[i], text.Hunk)
			i++
			end := hunkEnd(lines, i, before, after)
			c.paintHunk(lines[i:end], spans[i:end], lang)
			i = end
			continue
		}
		switch l := lines[i]; {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
			if name := strings.TrimPrefix(path.Ext(strings.TrimSpace(l[4:])), "."); name != "" {
				lang = name
			}
			spans[i] = whole(l, text.Muted|text.Bold)
		default:
			spans[i] = paintChange(l)
		}
		i++
	}
	return spans
}

// hunkHeader reads "@@ -1,3 +1,4 @@": how many lines of the file before and
// after the change follow.
func hunkHeader(l string) (before, after int, ok bool) {
	head, _, found := strings.Cut(strings.TrimPrefix(l, "@@ -"), " @@")
	old, now, two := strings.Cut(head, " +")
	if !strings.HasPrefix(l, "@@ -") || !found || !two {
		return 0, 0, false
	}
	return hunkLength(old), hunkLength(now), true
}

func hunkLength(s string) int {
	var from, n int
	if count, _ := fmt.Sscanf(s, "%d,%d", &from, &n); count == 2 {
		return n
	}
	return 1
}

// hunkEnd returns where a hunk ends: inside of it "--- a" is a line that is
// removed.
func hunkEnd(lines []string, at, before, after int) int {
	for ; at < len(lines) && (before > 0 || after > 0); at++ {
		switch l := lines[at]; {
		case strings.HasPrefix(l, "+"):
			after--
		case strings.HasPrefix(l, "-"):
			before--
		case strings.HasPrefix(l, `\`):
		case strings.HasPrefix(l, "@@ "):
			return at
		default:
			before--
			after--
		}
	}
	if at < len(lines) && strings.HasPrefix(lines[at], `\`) {
		at++
	}
	return at
}

func (c composer) paintHunk(lines []string, spans [][]text.Span, lang string) {
	var code [][]text.Span
	var of []int // the line that each line of code after the change is in
	if lang != "" && c.highlight != nil {
		var after []string
		for i, l := range lines {
			if strings.HasPrefix(l, " ") || strings.HasPrefix(l, "+") {
				after, of = append(after, l[1:]), append(of, i)
			}
		}
		if code = c.highlight(lang, after); len(code) != len(after) {
			code = nil
		}
	}
	for i, l := range lines {
		spans[i] = paintChange(l)
	}
	for n, i := range of {
		if code != nil && strings.HasPrefix(lines[i], " ") {
			spans[i] = append([]text.Span{{Len: 1, Style: text.Plain}}, code[n]...)
		}
	}
}

// paintChange styles a line by its first character. Blanks at the end of a
// changed line are marked: they may be all that changes.
func paintChange(l string) []text.Span {
	style := text.Plain
	switch {
	case strings.HasPrefix(l, "+"):
		style = text.Added
	case strings.HasPrefix(l, "-"):
		style = text.Removed
	case strings.HasPrefix(l, `\`), strings.HasPrefix(l, "diff "), strings.HasPrefix(l, "index "):
		style = text.Muted
	}
	body := strings.TrimRight(strings.TrimSuffix(l, "\u240d"), " \t")
	if style == text.Added || style == text.Removed {
		return []text.Span{{Len: max(1, len(body)), Style: style}, {Len: len(l) - max(1, len(body)), Style: text.Warning}}
	}
	return whole(l, style)
}

func whole(l string, style text.Style) []text.Span { return []text.Span{{Len: len(l), Style: style}} }

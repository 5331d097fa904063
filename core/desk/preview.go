package desk

import (
	"fmt"
	"strings"

	"copydesk/core"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
)

// previewBytes is how many bytes of a part a preview shows at most: a line may
// be longer than many lines.
const previewBytes = 8 << 10

// An excerpt is the beginning of a part's text.
type excerpt struct {
	raw   string
	lines int // that follow
	bytes int // that follow in a line that is cut
}

// excerptOf takes as much of a text as a preview may show.
func excerptOf(kind session.PartKind, raw string) excerpt {
	most := core.PreviewLines
	if kind == session.DiffPart {
		most = core.PreviewDiffLines
	}
	end := 0
	for line := range strings.Lines(raw) {
		if most == 0 || end > 0 && end+len(line) > previewBytes {
			return excerpt{raw: raw[:end], lines: lineCount(raw[end:])}
		}
		if len(line) > previewBytes {
			cut := text.Boundary(line[:previewBytes+1], previewBytes)
			return excerpt{raw: line[:cut], bytes: len(raw) - cut}
		}
		end += len(line)
		most--
	}
	return excerpt{raw: raw}
}

// show makes panel lines of the excerpt.
func (e excerpt) show(kind session.PartKind, detail uint64, part int) []panel.Line {
	if strings.TrimSpace(e.raw) == "" && e.lines == 0 {
		return nil
	}
	var lines []panel.Line
	inHunk := false
	for line := range strings.Lines(e.raw) {
		l := panel.Line{Kind: panel.Output, Detail: detail, Part: part}
		line = strings.TrimSuffix(line, "\n")
		if kind == session.DiffPart {
			// A change of line ends is to be seen: the CR of CR LF is part of the line.
			l.Text = text.CleanLine(line)
			inHunk = inHunk || strings.HasPrefix(line, "@@")
			l.Runs = []text.Span{{Len: len(l.Text), Style: diffStyle(line, inHunk)}}
		} else {
			l.Text = text.CleanLine(strings.TrimSuffix(line, "\r"))
		}
		lines = append(lines, l)
	}
	return lines
}

func diffStyle(line string, inHunk bool) text.Style {
	switch {
	case !inHunk || line == "":
		return text.Muted
	case strings.HasPrefix(line, "@@"):
		return text.Hunk
	case line[0] == '+':
		return text.Added
	case line[0] == '-':
		return text.Removed
	}
	return text.Plain
}

// rest is the line that says how much more there is; none when that is all.
func (e excerpt) rest(detail uint64, part int) []panel.Line {
	count, unit := e.lines, "line"
	if e.bytes > 0 {
		count, unit = e.bytes, "byte"
	}
	switch count {
	case 0:
		return nil
	case 1:
	default:
		unit += "s"
	}
	said := fmt.Sprintf("… %d more %s", count, unit)
	return []panel.Line{{Kind: panel.Output, Detail: detail, Part: part, Text: said, Runs: []text.Span{{Len: len(said), Style: text.Muted | text.Italic}}}}
}

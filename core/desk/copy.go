package desk

import (
	"fmt"
	"strings"

	"copydesk/core/command"
	"copydesk/core/markdown"
	"copydesk/core/text"
)

// A Capture is a text taken for a copy, before anything is said of it.
type Capture struct {
	Text string
	Said string // what may be said when a route owns it: "Copied to clipboard."
	// Notes is what else is said of it: "code block".
	Notes []string
}

// What is said when there is nothing to copy (CPY 1).
const (
	noAnswer  = "No agent output to copy."
	noContent = "Nothing to copy."
)

// Copy takes the text that a copy asks for. Where there is none, the error says
// so in a sentence for the user and no clipboard may be touched.
func (p *Pane) Copy(c command.Copy) (Capture, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	capture, err := p.capture(c)
	if err != nil || !c.Clean {
		return capture, err
	}
	return clean(capture)
}

// clean leaves out what cannot be seen, and says how much that was.
func clean(c Capture) (Capture, error) {
	var removed int
	if c.Text, removed = text.Strip(c.Text); c.Text == "" {
		return Capture{}, nothing(noContent)
	}
	unit := "characters"
	if removed == 1 {
		unit = "character"
	}
	c.Notes = append(c.Notes, fmt.Sprintf("%d hidden %s removed", removed, unit))
	return c, nil
}

func (p *Pane) capture(c command.Copy) (Capture, error) {
	switch c.Scope {
	case command.Panel:
		return counted(p.panel.All())
	case command.Last:
		return counted(p.panel.Last())
	case command.Turn:
		turns := p.session.Turns()
		if c.N < 1 || c.N > len(turns) {
			return Capture{}, nothing(fmt.Sprintf("There is no turn %d; the session has %d.", c.N, len(turns)))
		}
		return whole(turns[c.N-1].Content, noContent)
	case command.Session:
		return whole(p.session.Markdown(), noContent)
	}
	answer, ok := p.session.LastAnswer()
	if !ok || answer == "" {
		return Capture{}, nothing(noAnswer)
	}
	if c.Scope == command.Code {
		return codeBlock(answer, c.N)
	}
	return Capture{Text: answer, Said: "Copied to clipboard."}, nil
}

// nothing is the error of a copy that has nothing to take.
type nothing string

func (n nothing) Error() string { return string(n) }

func codeBlock(answer string, n int) (Capture, error) {
	blocks := markdown.CodeBlocks(answer)
	if n == 0 {
		n = len(blocks)
	}
	switch {
	case len(blocks) == 0:
		return Capture{}, nothing("Nothing to copy. The last answer has no code block.")
	case n > len(blocks):
		return Capture{}, nothing(fmt.Sprintf("There is no code block %d; the last answer has %d.", n, len(blocks)))
	}
	return whole(blocks[n-1].Code, noContent)
}

func whole(content, missing string) (Capture, error) {
	if content == "" {
		return Capture{}, nothing(missing)
	}
	return counted(content, lineCount(content))
}

func lineCount(content string) int { return strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1 }

func saidOf(lines int) string { return fmt.Sprintf("Copied %d line(s) to the clipboard.", lines) }

func counted(content string, lines int) (Capture, error) {
	if content == "" {
		return Capture{}, nothing(noContent)
	}
	return Capture{Text: content, Said: saidOf(lines)}, nil
}

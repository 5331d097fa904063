package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	talk "copydesk/core/session"
	"copydesk/core/text"
)

// A plainPrinter writes the answer to standard output and everything else to
// standard error.
type plainPrinter struct {
	out, err io.Writer
	terminal bool // out is one: nothing that it could obey is written
	cleaner  text.Cleaner
	tail     string // the last bytes of the answer, two at most
	apart    bool   // what comes next is a passage of its own
}

func newPlainPrinter(out, err io.Writer, terminal bool) *plainPrinter {
	return &plainPrinter{out: out, err: err, terminal: terminal}
}

func (p *plainPrinter) event(e talk.Event) error {
	switch e := e.(type) {
	case talk.Text:
		return p.write(e.Chunk)
	case talk.Break:
		p.apart = true
	case talk.Block:
		p.apart = true
		err := p.write(e.Source)
		p.apart = true
		return err
	case talk.Notice:
		return p.beside(e)
	}
	return nil
}

// write adds to the answer. Passages are set apart by an empty line, as in the
// session's own text.
func (p *plainPrinter) write(chunk string) error {
	if chunk == "" {
		return nil
	}
	if p.apart && p.tail != "" {
		switch {
		case strings.HasSuffix(p.tail, "\n\n"):
		case strings.HasSuffix(p.tail, "\n"):
			chunk = "\n" + chunk
		default:
			chunk = "\n\n" + chunk
		}
	}
	p.apart = false
	p.tail = lastBytes(p.tail+lastBytes(chunk, 2), 2)
	if p.terminal {
		chunk = p.cleaner.Clean(chunk)
	}
	_, err := io.WriteString(p.out, chunk)
	return err
}

func lastBytes(s string, n int) string { return s[max(0, len(s)-n):] }

// beside says notes and errors. What an agent says outside of its turn is no
// part of the answer.
func (p *plainPrinter) beside(e talk.Event) error {
	if n, ok := e.(talk.Notice); ok {
		_, _ = fmt.Fprintln(p.err, "copydesk: "+text.Clean(n.Text)) // nobody may be listening there
	}
	return nil
}

func (p *plainPrinter) refused(r *talk.Request) error {
	var b strings.Builder
	b.WriteString("copydesk: refused, because nobody is here to answer: " + r.Prompt + "\n")
	for _, f := range r.Fields {
		b.WriteString("  " + f.Name + ": " + strings.ReplaceAll(strings.TrimSuffix(f.Value, "\n"), "\n", "\n    ") + "\n")
	}
	if r.Claim != "" {
		b.WriteString("  agent says: " + r.Claim + "\n")
	}
	_, _ = io.WriteString(p.err, text.Clean(b.String()))
	return nil
}

// end makes the shell's prompt begin on a line of its own. A file gets what the
// agent said and no more.
func (p *plainPrinter) end(outcome, error) error {
	if !p.terminal {
		return nil
	}
	rest := p.cleaner.Flush()
	if p.tail != "" && !strings.HasSuffix(p.tail, "\n") {
		rest += "\n"
	}
	_, err := io.WriteString(p.out, rest)
	return err
}

// A printed is one line of --json. Its names are stable; README.md lists them.
type printed struct {
	Event   string        `json:"event"`
	Aside   bool          `json:"aside,omitempty"` // outside of the turn
	Text    *string       `json:"text,omitempty"`
	ID      string        `json:"id,omitempty"`
	Title   string        `json:"title,omitempty"`
	Kind    string        `json:"kind,omitempty"`
	Status  string        `json:"status,omitempty"`
	Chunk   string        `json:"chunk,omitempty"`
	Parts   []recordPart  `json:"parts,omitempty"`
	Steps   []recordStep  `json:"steps,omitempty"`
	Error   any           `json:"error,omitempty"` // of a notice true, of the end a text
	Used    int           `json:"used,omitempty"`
	Limit   int           `json:"limit,omitempty"`
	Cost    string        `json:"cost,omitempty"`
	Prompt  string        `json:"prompt,omitempty"`
	Claim   string        `json:"claim,omitempty"`
	Choices []string      `json:"choices,omitempty"`
	Fields  []recordField `json:"fields,omitempty"`
	Outcome outcome       `json:"outcome,omitempty"`
}

type recordPart struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	Text string `json:"text,omitempty"`
}

type recordStep struct {
	Text   string `json:"text"`
	Status string `json:"status,omitempty"`
}

type recordField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// statuses and partKinds are the words of --json.
var (
	statuses  = map[talk.Status]string{talk.Running: "running", talk.Done: "done", talk.Failed: "failed"}
	partKinds = map[talk.PartKind]string{
		talk.OutputPart: "output", talk.InputPart: "input", talk.DiffPart: "diff", talk.PlacePart: "place",
	}
	blockKinds = map[talk.BlockKind]string{
		talk.TableBlock: "table", talk.PlanBlock: "plan", talk.TeachingBlock: "teaching",
	}
)

// A jsonPrinter writes one JSON object a line for each event.
type jsonPrinter struct {
	out  io.Writer
	half string // the beginning of a rune that the next piece of the text ends
	kind string // the event that half belongs to
}

func (p *jsonPrinter) event(e talk.Event) error  { return p.put(e, false) }
func (p *jsonPrinter) beside(e talk.Event) error { return p.put(e, true) }

func (p *jsonPrinter) put(e talk.Event, aside bool) error {
	switch e := e.(type) {
	case talk.Text:
		return p.text("text", e.Chunk, aside)
	case talk.Thought:
		return p.text("thought", e.Chunk, aside)
	}
	r := recordOf(e)
	if r.Event == "" {
		return nil
	}
	r.Aside = aside
	return p.write(r)
}

// text writes a piece of text. A rune that was cut is written whole, with the
// piece that ends it: JSON has no half ones.
func (p *jsonPrinter) text(kind, chunk string, aside bool) error {
	if aside {
		return p.write(printed{Event: kind, Aside: true, Text: &chunk})
	}
	if p.kind != kind {
		if err := p.flush(); err != nil {
			return err
		}
	}
	chunk = p.half + chunk
	whole := len(chunk) - cutRune(chunk)
	p.kind, p.half = kind, chunk[whole:]
	if chunk = chunk[:whole]; chunk == "" {
		return nil
	}
	return p.line(printed{Event: kind, Text: &chunk})
}

// cutRune is how many bytes at the end of s are the beginning of a rune.
func cutRune(s string) int {
	for n := 1; n <= min(len(s), utf8.UTFMax-1); n++ {
		tail := s[len(s)-n:]
		if utf8.RuneStart(tail[0]) {
			if tail[0] >= utf8.RuneSelf && !utf8.FullRuneInString(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

// flush writes what was held back: no piece has ended it.
func (p *jsonPrinter) flush() error {
	half, kind := p.half, p.kind
	p.half = ""
	if half == "" {
		return nil
	}
	return p.line(printed{Event: kind, Text: &half})
}

func (p *jsonPrinter) write(r printed) error {
	if !r.Aside {
		if err := p.flush(); err != nil {
			return err
		}
	}
	return p.line(r)
}

// line writes an object. Whatever a terminal could obey or would not show is
// escaped, which means the same.
func (p *jsonPrinter) line(r printed) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(p.out, escaped(b.String()))
	return err
}

func escaped(s string) string {
	odd := func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		switch {
		case !odd(c):
			b.WriteRune(c)
		case c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// recordOf is an event as a line; without a name it is none.
func recordOf(e talk.Event) printed {
	switch e := e.(type) {
	case talk.Break:
		return printed{Event: "break"}
	case talk.ToolCall:
		r := printed{Event: "tool", ID: e.ID, Title: e.Title, Kind: e.Kind, Status: statuses[e.Status], Chunk: e.Chunk}
		for _, part := range e.Parts {
			r.Parts = append(r.Parts, recordPart{partKinds[part.Kind], part.Name, part.Text})
		}
		return r
	case talk.Plan:
		r := printed{Event: "plan"}
		for _, step := range e.Steps {
			r.Steps = append(r.Steps, recordStep{step.Text, statuses[step.Status]})
		}
		return r
	case talk.Block:
		return printed{Event: "block", Kind: blockKinds[e.Kind], Text: &e.Source}
	case talk.Notice:
		r := printed{Event: "notice", Text: &e.Text}
		if e.Error {
			r.Error = true
		}
		return r
	case talk.Usage:
		return printed{Event: "usage", Used: e.Used, Limit: e.Limit, Cost: e.Cost}
	}
	return printed{}
}

func (p *jsonPrinter) refused(r *talk.Request) error {
	line := printed{Event: "request", Kind: string(r.Kind), Prompt: r.Prompt, Claim: r.Claim, Choices: r.Choices}
	for _, f := range r.Fields {
		line.Fields = append(line.Fields, recordField{f.Name, f.Value})
	}
	return p.write(line)
}

func (p *jsonPrinter) end(o outcome, failure error) error {
	r := printed{Event: "end", Outcome: o}
	if o == failed && failure != nil {
		r.Error = failure.Error()
	}
	return p.write(r)
}

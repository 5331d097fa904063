package shelf

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"copydesk/core/record"
	"copydesk/core/text"
)

const (
	headBytes  = 64 << 10 // of the first and of the last of a session that are read (D8)
	titleBytes = 200
	titleRaw   = 4 << 10 // of a prompt that are read for its title
)

// look makes the summary of a session from the beginning and the end of its
// files. What is damaged stays empty.
func (s *Shelf) look(t *stored) record.Summary {
	sum := record.Summary{ID: t.id, Started: t.began(), Updated: t.changed, Bytes: t.bytes + s.blobBytes(t)}
	head, whole, err := s.piece(t.name(1), false)
	if err != nil {
		s.o.Log.Warn("a session cannot be read", "session", t.id, "reason", err)
		return sum
	}
	s.begin(&sum, t, head, whole)
	tail := head
	if number := t.segments[len(t.segments)-1]; number != 1 || !whole {
		if tail, _, err = s.piece(t.name(number), true); err != nil {
			s.o.Log.Warn("a session cannot be read", "session", t.id, "reason", err)
		}
	}
	agent, ok := lastAgent(tail)
	if !ok {
		agent, ok = lastAgent(head)
	}
	if ok {
		sum.Agent = agent
	}
	return sum
}

// piece reads the beginning or the end of a file. Whole says that this is all of
// it.
func (s *Shelf) piece(name string, end bool) (b []byte, whole bool, err error) {
	f, err := s.open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	from := int64(0)
	if end {
		from = max(0, info.Size()-headBytes)
	}
	b = make([]byte, min(info.Size()-from, headBytes))
	n, err := f.ReadAt(b, from)
	if n < len(b) && err != nil && err != io.EOF {
		return nil, false, err
	}
	return b[:n], info.Size() <= headBytes, nil
}

// begin reads what the beginning of a session says of it.
func (s *Shelf) begin(sum *record.Summary, t *stored, head []byte, whole bool) {
	headed, quiet := false, ""
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		head = rest
		f, ok := parse(line)
		if !ok {
			continue
		}
		if sum.Started.IsZero() {
			sum.Started = f.time().Truncate(time.Second)
		}
		switch {
		case f.kind == record.KindHeader && !headed:
			if e, ok := f.entry().(record.Header); ok {
				headed, sum.Agent, sum.Dir = true, e.Agent, e.Dir
			}
		case f.kind == record.KindPrompt:
			line, noTurn := s.titleOf(t, f, !ended && !whole)
			if line != "" && !noTurn {
				sum.Title = line
				return
			}
			if quiet == "" {
				quiet = line
			}
		}
	}
	sum.Title = quiet
}

// titleOf is the title that a prompt gives, and whether that is a command to the
// program. Cut says that the end of the line has not been read.
func (s *Shelf) titleOf(t *stored, f frame, cut bool) (line string, quiet bool) {
	if cut {
		return title(opening(f.rest, titleRaw)), false
	}
	if name := f.blob(); name != "" && f.whole() {
		return title(s.blobOpening(t.id, name)), false
	}
	e, _ := f.entry().(record.Prompt)
	return title(e.Text), e.Quiet
}

// blobOpening is the beginning of a prompt that has a file of its own.
func (s *Shelf) blobOpening(id, name string) string {
	f, err := s.open(filepath.Join(id+blobs, name))
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, titleRaw+64)
	n, err := io.ReadFull(f, b)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	return opening(b[:n], titleRaw)
}

// blobBytes is how much of a session lies in files of their own.
func (s *Shelf) blobBytes(t *stored) (n int64) {
	if !t.blobs {
		return 0
	}
	entries, err := os.ReadDir(filepath.Join(s.o.Dir, t.id+blobs))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// title is the first line of a prompt that is not blank, clean and cut to
// titleBytes.
func title(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	prompt = prompt[:min(len(prompt), titleRaw)]
	if i := strings.IndexAny(prompt, "\r\n"); i >= 0 {
		prompt = prompt[:i]
	}
	return short(text.CleanLine(strings.TrimSpace(prompt)), titleBytes)
}

// short cuts a clean line to most bytes, between two clusters.
func short(line string, most int) string {
	if len(line) <= most {
		return line
	}
	const ellipsis = "…"
	at := most - len(ellipsis)
	for end := at; ; end-- {
		if cut := text.Boundary(line, end); cut <= at {
			return strings.TrimRight(line[:cut], " ") + ellipsis
		}
	}
}

// lastAgent is the agent that is named last in lines of a journal.
func lastAgent(b []byte) (string, bool) {
	for len(b) > 0 {
		b = bytes.TrimSuffix(b, []byte{'\n'})
		at := bytes.LastIndexByte(b, '\n') + 1
		line := b[at:]
		b = b[:at]
		f, ok := parse(line)
		if !ok {
			continue
		}
		switch f.kind {
		case record.KindHeader, record.KindPrompt, record.KindSwitched:
		default:
			continue
		}
		switch e := f.entry().(type) {
		case record.Header:
			return e.Agent, true
		case record.Switched:
			return e.Agent, true
		case record.Prompt:
			if e.Agent != "" {
				return e.Agent, true
			}
		}
	}
	return "", false
}

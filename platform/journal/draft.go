package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"copydesk/core"
	"copydesk/core/record"
)

// A draft's file is one line: {"v":1,"draft":{…},"c":"<crc>"}, with "bytes":true
// before "c" where the strings stand for bytes, one character each.
const draftHead = `{"v":1,"draft":`

// writeDraft writes the draft, or removes its file when it is blank.
func (w *writer) writeDraft() error {
	j, s := w.j, w.j.store
	j.mu.Lock()
	d, n := j.draft, j.draftN
	j.mu.Unlock()
	name := s.path(draftName(j.ID()))
	var err error
	if d.Blank() {
		if err = s.fs.Remove(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else if err = s.fs.MkdirAll(s.o.Dir); err == nil {
		err = s.replace(name, encodeDraft(d))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.draftBad = err != nil; err != nil {
		return err
	}
	j.draftKept, j.draftDue = !d.Blank(), false
	j.draftOld = j.draftN != n
	if j.draftOld && (j.draft.Blank() || j.closing) {
		j.draftDue = true
	}
	j.recovered()
	return nil
}

func encodeDraft(d record.Draft) []byte {
	exact := true
	eachText(&d, func(s string) string {
		exact = exact && utf8.ValidString(s)
		return s
	})
	if !exact {
		eachText(&d, record.Widen)
	}
	b := bytes.NewBufferString(draftHead)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil // strings can always be encoded
	}
	b.Truncate(b.Len() - 1) // the line end
	if !exact {
		b.WriteString(`,"bytes":true`)
	}
	return append(seal(b.Bytes()), '\n')
}

var errDraft = errors.New("the draft is damaged")

func decodeDraft(content []byte) (record.Draft, error) {
	line, ok := bytes.CutSuffix(content, []byte{'\n'})
	if _, right := sealed(line); !ok || !right || !bytes.HasPrefix(line, []byte(draftHead)) {
		return record.Draft{}, errDraft
	}
	var kept struct {
		Draft record.Draft `json:"draft"`
		Bytes bool         `json:"bytes"`
	}
	if err := json.Unmarshal(line, &kept); err != nil {
		return record.Draft{}, fmt.Errorf("%w: %w", errDraft, err)
	}
	if kept.Bytes {
		eachText(&kept.Draft, record.Narrow)
	}
	return kept.Draft, nil
}

// eachText changes all texts of a draft, in slices of its own.
func eachText(d *record.Draft, f func(string) string) {
	d.Input = f(d.Input)
	queue := make([]string, len(d.Queue))
	for i, s := range d.Queue {
		queue[i] = f(s)
	}
	answers := make([]record.Unsent, len(d.Answers))
	for i, a := range d.Answers {
		answers[i] = record.Unsent{ID: f(a.ID), Text: f(a.Text)}
	}
	if d.Queue != nil {
		d.Queue = queue
	}
	if d.Answers != nil {
		d.Answers = answers
	}
}

// readDraft reads what was kept. A draft that is damaged is set aside.
func (j *Journal) readDraft() {
	s := j.store
	name := s.path(draftName(j.id))
	f, err := s.fs.Open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		var content []byte
		content, err = io.ReadAll(io.NewSectionReader(f, 0, core.LineBytes))
		f.Close()
		if err == nil {
			j.stored, err = decodeDraft(content)
		}
	}
	if err == nil {
		j.draft, j.draftKept = j.stored, true
		return
	}
	s.o.Log.Warn("a draft cannot be read; it is set aside", "session", j.id, "reason", err)
	if err := s.fs.Rename(name, s.path(s.tornName(j.id))); err != nil {
		s.o.Log.Warn("a damaged draft stays", "session", j.id, "reason", err)
	}
}

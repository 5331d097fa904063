package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"copydesk/core"
	"copydesk/core/record"
)

// draft is what the user has written and not sent.
type draft struct {
	was   record.Draft // when the journal was opened
	now   record.Draft
	there bool // a file is
	dirty bool
	due   bool
}

// storedDraft is the file of a draft. As in a record, Bytes says that each
// character of the texts stands for a byte: they are not UTF-8.
type storedDraft struct {
	Version int       `json:"v"`
	Time    time.Time `json:"t"`
	Bytes   bool      `json:"bytes,omitempty"`
	record.Draft
}

const mostDraft = 4 * core.LineBytes

// Keep replaces the draft and never waits. It is written core.DraftAfter later,
// and by Close.
func (j *Journal) Keep(d record.Draft) {
	d.Queue, d.Answers = slices.Clone(d.Queue), slices.Clone(d.Answers)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing || reflect.DeepEqual(d, j.draft.now) || d.Blank() && j.draft.now.Blank() {
		return
	}
	j.draft.now, j.draft.dirty = d, true
	j.timers.draft.start(j, core.DraftAfter, func() {
		if j.draft.due = j.begun || !j.draft.now.Blank(); j.draft.due {
			j.begin()
		}
	})
}

// begin lets the journal write: that there is a session is brought to the disk.
// The lock is held.
func (j *Journal) begin() {
	if !j.begun {
		j.begun = true
		j.save()
	}
}

// Draft is what was kept when the journal was opened.
func (j *Journal) Draft() record.Draft { return j.draft.was }

// writeDraft brings the draft to the disk. That it fails does not hold up the
// records, nor the other way round.
func (j *Journal) writeDraft() {
	j.mu.Lock()
	d := j.draft.now
	j.draft.dirty = false
	there := j.draft.there
	j.mu.Unlock()
	path := j.store.path(draftName(j.id))
	var err error
	switch {
	case j.first == nil:
		err = errors.New("the session has no file yet")
	case !d.Blank():
		err = replace(j.store.disk, path, path+".tmp", encodeDraft(d, j.store.o.Now()))
		there = there || err == nil
	case there:
		if err = j.store.disk.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		there = err != nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.draft.there = there
	switch f := &j.failure; {
	case err == nil && f.draft != "":
		f.draft = ""
		j.changed()
	case err != nil:
		j.draft.dirty = true
		j.store.o.Log.Error("cannot save the draft", "session", j.id, "error", err)
		if j.closing {
			j.err = errors.Join(j.err, fmt.Errorf("save the draft: %w", err))
			return
		}
		if f.draft == "" {
			f.draftSince = j.store.o.Now()
		}
		f.draft = "What you write is not saved until it is sent: " + reason(err)
		j.timers.draft.start(j, core.JournalRetry, func() { j.draft.due = true })
		j.changed()
	}
}

// readDraft reads the draft of a session that is opened. What cannot be read is
// set aside.
func (j *Journal) readDraft() {
	path := j.store.path(draftName(j.id))
	content, err := readWhole(j.store.disk, path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var d record.Draft
	if err == nil {
		d, err = decodeDraft(content)
	}
	if err != nil {
		j.store.o.Log.Warn("the draft of a session is damaged", "path", path, "error", err)
		if aside, free := freeTorn(j.store.disk, j.store.o.Dir, j.id); free == nil {
			_ = j.store.disk.Rename(path, aside)
		}
		return
	}
	j.draft.was, j.draft.now, j.draft.there = d, d, true
}

func readWhole(on files, path string) ([]byte, error) {
	f, err := on.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > mostDraft {
		return nil, errDamaged
	}
	content := make([]byte, info.Size())
	_, err = f.ReadAt(content, 0)
	return content, err
}

func encodeDraft(d record.Draft, now time.Time) []byte {
	stored := storedDraft{Version: version, Time: now.UTC(), Draft: d}
	if !validDraft(d) {
		stored.Bytes, stored.Draft = true, mapDraft(d, widen)
	}
	b, err := json.Marshal(stored)
	if err != nil { // a time beyond the year 9999
		stored.Time = time.Time{}
		b, _ = json.Marshal(stored)
	}
	return append(seal(b[:len(b)-1], 0), '\n')
}

func decodeDraft(content []byte) (record.Draft, error) {
	body, _, ok := unseal([]byte(strings.TrimSuffix(string(content), "\n")))
	if !ok {
		return record.Draft{}, errDamaged
	}
	var stored storedDraft
	if err := json.Unmarshal(append(body, '}'), &stored); err != nil {
		return record.Draft{}, err
	}
	if stored.Version != version {
		return record.Draft{}, ErrNewer
	}
	if stored.Bytes {
		return mapDraft(stored.Draft, narrow), nil
	}
	return stored.Draft, nil
}

func validDraft(d record.Draft) bool {
	ok := utf8.ValidString(d.Input)
	for _, s := range d.Queue {
		ok = ok && utf8.ValidString(s)
	}
	for _, a := range d.Answers {
		ok = ok && utf8.ValidString(a.ID) && utf8.ValidString(a.Text)
	}
	return ok
}

// mapDraft is a draft with all its texts changed by f.
func mapDraft(d record.Draft, f func(string) string) record.Draft {
	out := record.Draft{Input: f(d.Input)}
	for _, s := range d.Queue {
		out.Queue = append(out.Queue, f(s))
	}
	for _, a := range d.Answers {
		out.Answers = append(out.Answers, record.Unsent{ID: f(a.ID), Text: f(a.Text)})
	}
	return out
}

// widen makes one character of each byte, narrow makes the bytes of them again.
func widen(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func narrow(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

package chat

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"copydesk/core/diff"
	"copydesk/core/session"
)

// watchEvery is how often a file is looked at while its change waits for an
// answer.
const watchEvery = time.Second

// An edit is a file's new content, and what stood in its place when the user
// was asked.
type edit struct {
	folder  folder
	rel     string
	before  state
	content string
}

// write asks for a change of a file and makes it. What is made is what was
// shown: a file that changed meanwhile is shown anew (T47).
func (t *turn) write(c *call) outcome {
	e, o := t.edit(c)
	if o != nil {
		return *o
	}
	t.say(session.ToolCall{ID: c.shown, Title: e.slashed(), Status: session.Running, Parts: e.parts()})
	r, reply := e.request(t.a.options.Name)
	if !t.say(r) {
		return ended()
	}
	for {
		a, err := t.watch(e, reply)
		switch {
		case errors.Is(err, errElse):
		case err != nil:
			return ended()
		case a.Verdict != session.Approve:
			return refused(a)
		default:
			err = e.make()
			if err == nil {
				added, removed := diff.Stat(e.diff())
				return done(fmt.Sprintf("Written: %s (lines: +%d -%d).", e.slashed(), added, removed))
			}
			if !errors.Is(err, errElse) {
				return fault("%s %v", e.slashed(), err)
			}
		}
		now, err := e.again()
		if err != nil {
			t.say(session.Withdrawn{Request: r})
			return fault("%s %v", e.slashed(), err)
		}
		if e = now; e.idle() {
			t.say(session.Withdrawn{Request: r})
			return done("Nothing to do: " + e.slashed() + " holds exactly this by now.")
		}
		t.say(session.ToolCall{ID: c.shown, Parts: e.parts()})
		old := r
		r, reply = e.request(t.a.options.Name)
		r.Fields = append(r.Fields, session.Field{Name: "note", Value: "The file has changed since this was shown first. Read it again.", Warn: true})
		if !t.say(session.Reopened{Old: old, New: r}) {
			return ended()
		}
	}
}

// edit reads a call. The outcome is nil when there is something to ask.
func (t *turn) edit(c *call) (*edit, *outcome) {
	no := func(o outcome) (*edit, *outcome) { return nil, &o }
	var file, content string
	if err := decode(c.args.String(), argument{"path", &file, true}, argument{"content", &content, true}); err != nil {
		return no(fault("%v", err))
	}
	dir, err := openFolder(t.a.options.Dir)
	if err != nil {
		return no(fault("%v", err))
	}
	rel, err := dir.local(file)
	if err != nil {
		return no(fault("%v", err))
	}
	if rel == "." || strings.HasSuffix(file, "/") {
		return no(fault("%q is a folder", file))
	}
	if binary([]byte(content)) || len(content) > maxFile {
		return no(fault("the content is no text, or longer than %d bytes", maxFile))
	}
	e, err := (&edit{folder: dir, rel: rel, content: content}).again()
	if err != nil {
		return no(fault("%q %v", file, err))
	}
	if e.idle() {
		t.say(session.ToolCall{ID: c.shown, Title: e.slashed()})
		return no(done("Nothing to do: " + e.slashed() + " holds exactly this."))
	}
	return e, nil
}

// again is the same edit for what stands in its place now.
func (e *edit) again() (*edit, error) {
	now := *e
	for range 10 {
		at, err := e.folder.parent(e.rel, false)
		if err == nil {
			now.before, err = look(at, filepath.Base(e.rel))
			if at != nil {
				at.Close()
			}
		}
		if !errors.Is(err, errElse) {
			return &now, err
		}
	}
	return nil, errors.New("does not stop to change")
}

// watch waits for the answer. It fails with errElse when the file has become
// another one before there was an answer.
func (t *turn) watch(e *edit, reply <-chan session.Answer) (session.Answer, error) {
	for {
		wake := make(chan struct{})
		stop := t.a.options.After(watchEvery, func() { close(wake) })
		a, woken, err := t.await(reply, wake)
		stop()
		if !woken {
			return a, err
		}
		if now, err := e.again(); err != nil || now.before != e.before {
			return a, errElse
		}
	}
}

// idle reports whether there is nothing to change.
func (e *edit) idle() bool { return e.before.exists && e.before.content == e.content }

func (e *edit) slashed() string { return filepath.ToSlash(e.rel) }

func (e *edit) diff() string {
	if !e.before.exists {
		return diff.New(e.slashed(), e.content)
	}
	return diff.Unified(e.slashed(), e.before.content, e.content)
}

func (e *edit) parts() []session.Part {
	return []session.Part{{Kind: session.DiffPart, Name: e.slashed(), Text: e.diff()}}
}

func (e *edit) request(from string) (*session.Request, <-chan session.Answer) {
	reply := make(chan session.Answer, 1)
	abs := filepath.Join(e.folder.real, e.rel)
	prompt, label := "Change "+e.slashed()+"?", "Change"
	if !e.before.exists {
		prompt, label = "Create "+e.slashed()+"?", "Create"
	}
	r := &session.Request{
		Kind: session.Approval, Prompt: prompt, From: from, Choices: []string{label, "Reject"},
		Fields:      []session.Field{{Name: "file", Value: abs}},
		TakesReason: true, Reply: reply,
	}
	if e.hooked() {
		r.Fields = append(r.Fields, session.Field{Name: "note", Value: "Git runs programs that files in .git name.", Warn: true})
	}
	r.Fields = append(r.Fields, session.Field{Name: "change", Value: e.diff(), Lang: "diff"})
	return r, reply
}

// hooked reports whether the file is one that git keeps for itself.
func (e *edit) hooked() bool {
	for dir := path.Dir(e.slashed()); dir != "."; dir = path.Dir(dir) {
		if strings.EqualFold(path.Base(dir), ".git") {
			return true
		}
	}
	return false
}

// make writes the file, whole or not at all: into a file beside it that takes
// its place. It fails with errElse when something else stands there than what
// was shown.
func (e *edit) make() error {
	at, err := e.folder.parent(e.rel, true)
	if err != nil {
		return err
	}
	defer at.Close()
	name := filepath.Base(e.rel)
	now, err := look(at, name)
	if err != nil || now != e.before {
		return errElse
	}
	mode := fs.FileMode(0o644)
	if e.before.exists {
		mode = e.before.mode
	}
	beside := ".copydesk-" + rand.Text()
	if err := fill(at, beside, e.content, mode, e.before.exists); err != nil {
		return err
	}
	if !e.before.exists {
		// Unlike a rename, a link takes no file's place that came meanwhile.
		err := at.Link(beside, name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			if rest := at.Remove(beside); rest != nil {
				return fmt.Errorf("is there, but %s beside it cannot be removed: %w", beside, rest)
			}
			if err != nil {
				return errElse
			}
			return nil
		}
	}
	if err := at.Rename(beside, name); err != nil {
		return errors.Join(fmt.Errorf("cannot be written: %w", err), at.Remove(beside))
	}
	return nil
}

// fill makes a file that was not there, or nothing. A mode that is to be kept is
// set against the umask.
func fill(at *os.Root, name, content string, mode fs.FileMode, keep bool) error {
	f, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("cannot be written: %w", err)
	}
	_, err = f.WriteString(content)
	if err == nil && keep {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("cannot be written: %w", err), at.Remove(name))
	}
	return nil
}

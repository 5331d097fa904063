package playground

import (
	"context"
	"fmt"
	"strings"

	"copydesk/core/session"
)

// A turn is one prompt on its way to its answer. Everything that it changes
// happens in one transaction, which is committed when the whole prompt went
// well. What it says of changes is held back until then, so that nothing is
// reported that a later rejection undoes.
type turn struct {
	a       *Agent
	ctx     context.Context
	yield   func(session.Event, error) bool
	stopped bool // yield gave false; it must not be called again
	verbose bool
	names   *schema         // nil: not read yet, or out of date
	altered bool            // the turn changed names, perhaps for nothing
	held    []session.Event // said after the commit
	asText  []string        // text columns that the prompt compares with a number
	blocks  int             // how many blocks were made
	userTx  bool            // the prompt itself said BEGIN
	pending bool            // something was approved that a later rejection undoes
	lasting bool            // something was done that nothing undoes
}

// send gives an event to the consumer.
func (t *turn) send(e session.Event) error {
	if t.stopped {
		return errOver
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if !t.yield(e, nil) {
		t.stopped = true
		return errOver
	}
	return nil
}

// say gives an event to the consumer, now or after the commit.
func (t *turn) say(e session.Event) error {
	if t.a.db.open {
		t.held = append(t.held, e)
		return nil
	}
	return t.send(e)
}

// note says a sentence beside the answer.
func (t *turn) note(format string, args ...any) error {
	return t.say(session.Notice{Text: fmt.Sprintf(format, args...)})
}

// aside is a note for those who want to be told more.
func (t *turn) aside(format string, args ...any) error {
	if !t.verbose {
		return nil
	}
	return t.note(format, args...)
}

// block says finished lines. A blank line parts the Markdown of two blocks.
func (t *turn) block(b session.Block) error {
	if t.blocks > 0 {
		b.Source = "\n" + b.Source
	}
	t.blocks++
	return t.say(b)
}

// commit keeps what the prompt did and says what was held back.
func (t *turn) commit() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.userTx {
		return plainError("The transaction was still open when the prompt ended, so it was rolled back. Send BEGIN … COMMIT as one prompt.")
	}
	if err := t.a.db.commit(); err != nil {
		return t.explain(statement{}, err)
	}
	held := t.held
	t.held = nil
	for _, e := range held {
		if err := t.send(e); err != nil {
			return err
		}
	}
	return nil
}

// schema gives the database's names as they are at this moment of the turn.
func (t *turn) schema() (*schema, error) {
	if t.names == nil {
		s, err := readSchema(t.ctx, t.a.db)
		if err != nil {
			return nil, err
		}
		t.names = s
	}
	return t.names, nil
}

// forget is for when the names may have changed.
func (t *turn) forget() { t.names, t.altered = nil, true }

// plain says an error in plain words.
func (t *turn) plain(err error) error {
	if err == nil {
		return nil
	}
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	s, schemaErr := t.schema()
	if schemaErr != nil {
		s = &schema{}
	}
	return plain(err, s, t.a.options.Path)
}

// ask puts a request to the user and waits for the answer.
func (t *turn) ask(r *session.Request) (session.Answer, error) {
	reply := make(chan session.Answer, 1)
	r.Reply = reply
	if err := t.send(r); err != nil {
		return session.Answer{}, err
	}
	select {
	case a := <-reply:
		return a, t.ctx.Err()
	case <-t.ctx.Done():
		return session.Answer{}, t.ctx.Err()
	}
}

// approve returns nil when the user approves, and errOver for every other
// answer. When something of this prompt was approved before, it says that a
// rejection undoes that too.
func (t *turn) approve(prompt, yes, no string, fields []session.Field) error {
	if t.pending {
		undone := "Nothing of this prompt is kept, also not what you approved before."
		if t.lasting {
			undone = "No change to tables and rows is kept, also not what you approved before."
		}
		fields = append(fields, session.Field{Name: "If you reject", Value: undone})
	}
	a, err := t.ask(&session.Request{Kind: session.Approval, Prompt: prompt, Choices: []string{yes, no}, Fields: fields})
	if err != nil {
		return err
	}
	if a.Verdict != session.Approve {
		return errOver
	}
	t.pending = t.pending || t.a.db.open
	return nil
}

// choose lets the user pick one of choices.
func (t *turn) choose(prompt string, choices []string) (string, error) {
	a, err := t.ask(&session.Request{Kind: session.Choice, Prompt: prompt, Choices: choices})
	if err != nil {
		return "", err
	}
	if a.Verdict != session.Chosen || a.Index < 0 || a.Index >= len(choices) || choices[a.Index] != a.Value {
		return "", errOver
	}
	return a.Value, nil
}

// enter asks for a text.
func (t *turn) enter(prompt string, fields ...session.Field) (string, error) {
	a, err := t.ask(&session.Request{Kind: session.TextInput, Prompt: prompt, Fields: fields})
	if err != nil {
		return "", err
	}
	if a.Verdict != session.Entered || a.Value == "" {
		return "", errOver
	}
	return a.Value, nil
}

// table finds the table that a name means; with names that are near, the user
// is asked which one.
func (t *turn) table(name string) (*table, error) {
	s, err := t.schema()
	if err != nil {
		return nil, t.plain(err)
	}
	if found := s.table(name); found != nil {
		return found, nil
	}
	choices := near(name, s.names())
	if len(choices) == 0 {
		return nil, plainError(s.noTable(name))
	}
	meant, err := t.choose(fmt.Sprintf("There is no table %q. Which one is meant?", name), choices)
	if err != nil {
		return nil, err
	}
	return s.table(meant), nil
}

// column finds the column of a table that a name means, like table.
func (t *turn) column(of *table, name string) (*column, error) {
	if c := of.column(name); c != nil {
		return c, nil
	}
	choices := near(name, of.names())
	if len(choices) == 0 {
		return nil, plainError((&schema{tables: []*table{of}}).noColumn(of.name, name))
	}
	meant, err := t.choose(fmt.Sprintf("There is no column %q in %s. Which one is meant?", name, of.name), choices)
	if err != nil {
		return nil, err
	}
	return of.column(meant), nil
}

// counted writes a number of things: 1 row, 2 rows.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// sentence makes the first letter of s a capital one.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

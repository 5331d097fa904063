// Package playground is the built-in agent: an SQL desk on an embedded SQLite
// file (PLY). In simple mode it takes a small command language and shows the
// SQL that it becomes; in advanced mode it takes SQL. Whatever destroys
// something is asked about first, inside of a transaction that a rejection
// rolls back.
package playground

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"copydesk/core/session"
)

// Options are what a playground is opened with.
type Options struct {
	// Path is the database file, or Memory. A missing file is made, 0600;
	// its folder must be there.
	Path string

	// Messages is "short" (the default) or "verbose".
	Messages string

	// Dir is what relative paths of import and export start from; empty is
	// the working directory.
	Dir string

	// Go starts a goroutine. It is needed for cancelling.
	Go func(func())
}

// The modes and the ways of telling.
const (
	simple   = "simple"
	advanced = "advanced"
	short    = "short"
	verbose  = "verbose"
)

// An Agent is a playground. It implements session.Agent: Run and Close are for
// one goroutine at a time, the other methods for any.
type Agent struct {
	options Options
	db      *database
	result  *result // a result that has more rows to show, or nil

	mu       sync.Mutex // guards what follows
	mode     string
	messages string
	known    *schema // the names as of the last prompt's end, for completion
}

// Open opens or makes the database and starts in simple mode. The error is a
// sentence for the user that names the file and the next step.
func Open(o Options) (*Agent, error) {
	switch o.Messages {
	case "":
		o.Messages = short
	case short, verbose:
	default:
		return nil, plainErrorf("Messages can be short or verbose, not %q.", o.Messages)
	}
	if o.Path == "" {
		return nil, plainError("No database file is named. Name one with --db.")
	}
	if o.Go == nil {
		return nil, errors.New("open the playground: no way to start a goroutine was given")
	}
	db, err := openDatabase(o.Path, o.Go)
	if err != nil {
		return nil, err
	}
	a := &Agent{options: o, db: db, mode: simple, messages: o.Messages}
	a.learn()
	return a, nil
}

// Close ends the playground. Nothing that was committed is lost by it.
func (a *Agent) Close() error {
	a.dropCursor()
	return a.db.close()
}

// Name is how the user calls the agent.
func (a *Agent) Name() string { return "playground" }

// Echo tags an input with the mode. The words that are for the program itself
// (mode, messages, help) get no echo (R3).
func (a *Agent) Echo(input string) (tag string, echo bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mode, !appWord(input)
}

// appWord reports whether an input is a command to the program itself.
func appWord(input string) bool {
	switch firstWord(input) {
	case "mode", "messages", "help":
		return true
	}
	return false
}

func firstWord(input string) string {
	words := strings.Fields(strings.ToLower(input))
	if len(words) == 0 {
		return ""
	}
	return strings.TrimRight(words[0], ";")
}

// Run answers one prompt. See session.Agent.
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		mode, messages := a.settings()
		t := &turn{a: a, ctx: ctx, yield: yield, verbose: messages == verbose}
		defer func() {
			if t.altered {
				a.learn()
			}
		}()
		defer a.db.rollback()
		err := t.answer(mode, prompt)
		if err == nil {
			err = t.commit()
		}
		if err == nil {
			return
		}
		a.dropCursor()
		a.db.rollback()
		if t.stopped || ctx.Err() != nil || errors.Is(err, errOver) {
			return
		}
		yield(nil, err)
	}
}

func (a *Agent) settings() (mode, messages string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mode, a.messages
}

// learn keeps the database's names for completion.
func (a *Agent) learn() {
	s, err := readSchema(context.Background(), a.db)
	if err != nil {
		// Another program holds the file; the names of before still serve.
		return
	}
	a.mu.Lock()
	a.known = s
	a.mu.Unlock()
}

// keep makes r the result that more goes on with.
func (a *Agent) keep(r *result) {
	a.dropCursor()
	a.result = r
}

// dropCursor closes the result that is open, and with it its read transaction.
func (a *Agent) dropCursor() {
	if a.result != nil {
		_ = a.result.cursor.close() // a read has nothing to lose
		a.result = nil
	}
}

// answer does what a prompt asks for.
func (t *turn) answer(mode, prompt string) error {
	if appWord(prompt) {
		return t.appCommand(strings.Fields(strings.TrimRight(strings.TrimSpace(prompt), "; ")))
	}
	c, wrong := parse(prompt)
	if _, ok := c.(moreRows); ok {
		return t.more()
	}
	t.a.dropCursor()
	files := firstWord(prompt) == "import" || firstWord(prompt) == "export"
	if mode == advanced && !files {
		return t.sql(prompt, wrong == nil)
	}
	if wrong != nil {
		return hintSQL(prompt, wrong)
	}
	return t.perform(c)
}

// sql runs plain SQL. simple says that the prompt reads as a command of the
// simple language too.
func (t *turn) sql(prompt string, simple bool) error {
	statements, err := split(prompt)
	if err != nil {
		return err
	}
	if len(statements) == 0 {
		return plainError("There is nothing to run. Write SQL, such as SELECT 1; help lists what else there is.")
	}
	for i, s := range statements {
		if err := t.run(order{statement: s, repair: true, inner: i < len(statements)-1}); err != nil {
			said, ok := err.(plainError)
			switch {
			case ok && simple && !sqlVerb(prompt):
				return said + " This is a simple command; mode simple runs it."
			case ok && i > 0 && t.a.db.open:
				return said + " Nothing of this prompt was kept."
			}
			return err
		}
	}
	if t.a.db.open && len(statements) > 1 {
		return t.aside("The %d statements ran in one transaction.", len(statements))
	}
	return nil
}

// hintSQL adds to an error of simple mode what would help when the input is
// SQL.
func hintSQL(prompt string, wrong error) error {
	shared := false // with the simple language
	switch firstWord(prompt) {
	case "create", "insert", "update", "delete", "drop":
		shared = true
		for _, w := range []string{"select", "index", "view", "trigger", "virtual", "exists", "returning", "conflict"} {
			if mentions(parseStatement(prompt), w) {
				shared = false
			}
		}
	}
	if said, ok := wrong.(plainError); ok && sqlVerb(prompt) && !shared {
		return said + " If this is SQL: mode advanced runs plain SQL."
	}
	return wrong
}

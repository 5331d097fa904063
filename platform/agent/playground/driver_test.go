package playground

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"copydesk/core/session"
)

var _ session.Agent = (*Agent)(nil)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a playground with a user at it.
type desk struct {
	t testing.TB
	a *Agent
}

func spawn(f func()) { go f() }

func open(t testing.TB, o Options) *desk {
	t.Helper()
	if o.Path == "" {
		o.Path = Memory
	}
	o.Go = spawn
	a, err := Open(o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &desk{t, a}
}

// turnLog is what one prompt gave.
type turnLog struct {
	events   []session.Event
	requests []*session.Request
	err      error
}

// An answer answers a request.
type answer func(*session.Request) session.Answer

func yes(*session.Request) session.Answer { return session.Answer{Verdict: session.Approve} }
func auto(r *session.Request) session.Answer {
	switch r.Kind {
	case session.Approval:
		return yes(r)
	case session.Choice:
		return pick(0)(r)
	}
	return enter("7")(r)
}

func no(*session.Request) session.Answer { return session.Answer{Verdict: session.Reject} }
func pick(i int) answer {
	return func(r *session.Request) session.Answer {
		return session.Answer{Verdict: session.Chosen, Index: i, Value: r.Choices[i]}
	}
}
func enter(s string) answer {
	return func(*session.Request) session.Answer { return session.Answer{Verdict: session.Entered, Value: s} }
}

// run runs a prompt with the answers that are given in turn.
func (d *desk) run(prompt string, answers ...answer) *turnLog {
	return d.runCtx(context.Background(), prompt, answers...)
}

func (d *desk) runCtx(ctx context.Context, prompt string, answers ...answer) *turnLog {
	d.t.Helper()
	log := &turnLog{}
	for e, err := range d.a.Run(ctx, prompt) {
		if err != nil {
			log.err = err
			continue
		}
		log.events = append(log.events, e)
		if r, ok := e.(*session.Request); ok {
			if err := r.Validate(); err != nil {
				d.t.Errorf("%q made a bad request: %v", prompt, err)
			}
			log.requests = append(log.requests, r)
			if len(answers) == 0 {
				d.t.Fatalf("%q asked %q, and nobody answers", prompt, r.Prompt)
			}
			r.Reply <- answers[0](r)
			answers = answers[1:]
		}
	}
	if len(answers) > 0 {
		d.t.Errorf("%q left %d answers unused", prompt, len(answers))
	}
	if d.a.db.open {
		d.t.Errorf("%q left a transaction open", prompt)
	}
	return log
}

// must runs prompts that have to go well.
func (d *desk) must(prompts ...string) *turnLog {
	d.t.Helper()
	var log *turnLog
	for _, p := range prompts {
		log = d.run(p)
		if log.err != nil {
			d.t.Fatalf("%s: %v", p, log.err)
		}
	}
	return log
}

// shown is what the events say, one line each, as a front end would show it.
func (l *turnLog) shown() string {
	var out []string
	for _, e := range l.events {
		switch e := e.(type) {
		case session.Text:
			out = append(out, strings.TrimRight(e.Chunk, "\n"))
		case session.Notice:
			mark := "note: "
			if e.Error {
				mark = "wrong: "
			}
			out = append(out, mark+e.Text)
		case session.Block:
			for _, line := range e.Lines {
				mark := ""
				if e.Kind == session.TeachingBlock {
					mark = "sql: "
				}
				out = append(out, mark+line.Text)
			}
		case *session.Request:
			out = append(out, "ask: "+e.Prompt)
			for _, f := range e.Fields {
				out = append(out, "  "+f.Name+": "+f.Value)
			}
			for _, c := range e.Choices {
				out = append(out, "  ["+c+"]")
			}
		default:
			out = append(out, fmt.Sprintf("%T", e))
		}
	}
	if l.err != nil {
		out = append(out, "error: "+l.err.Error())
	}
	return strings.Join(out, "\n")
}

// source is the turn's content.
func (l *turnLog) source() string {
	var out strings.Builder
	for _, e := range l.events {
		if b, ok := e.(session.Block); ok {
			out.WriteString(b.Source)
		}
	}
	return out.String()
}

// values runs a query beside the agent's own ways.
func (d *desk) values(sql string) [][]any {
	d.t.Helper()
	rows, err := d.a.db.all(context.Background(), sql)
	if err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
	out := make([][]any, len(rows))
	for i, r := range rows {
		for _, v := range r {
			out[i] = append(out[i], v)
		}
	}
	return out
}

// dump is all that the database holds.
func (d *desk) dump() string {
	d.t.Helper()
	var out strings.Builder
	for _, r := range d.values("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name") {
		fmt.Fprintln(&out, r...)
		if r[0] == "table" {
			for _, row := range d.values("SELECT rowid, * FROM " + quoteName(asText(r[1]))) {
				fmt.Fprintf(&out, "  %#v\n", row)
			}
		}
	}
	return out.String()
}

// shop is a database to try things on.
func shop(t testing.TB, o Options) *desk {
	t.Helper()
	d := open(t, o)
	d.must(
		"create table customers with name text required, age int, email text unique",
		"create table orders with what text, customer -> customers on delete cascade",
		`insert into customers (name, age, email) values ("Ada", 36, "ada@x"), ("Bob", 41, "bob@x"), ("Cleo", null, null)`,
		`insert into orders (what, customer) values ("ink", 1), ("pen", 1), ("cup", 2)`,
	)
	return d
}

func file(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

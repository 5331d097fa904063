package deliver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"copydesk/core/clipboard"
	"copydesk/core/text"
	"copydesk/platform/deliver/route"
)

// doctorLimit is how long the doctor may take in all. Each route has the time of
// a copy.
const doctorLimit = time.Minute

// Verdict is whether copies arrive.
type Verdict string

// The verdicts.
const (
	Works    Verdict = "yes"      // something owns the text
	MayWork  Verdict = "probably" // it went to a terminal, which never answers
	WorksNot Verdict = "no"
)

// What a read gave.
const (
	readBack  = "read back"
	otherText = "something else was read back"
)

// A Report is what the doctor found.
type Report struct {
	Context []route.Fact `json:"context"`
	Checks  []Check      `json:"routes"` // in the order of the plan
	Works   Verdict      `json:"works"`

	// Marked is the text that the doctor copied, and Left where it still is.
	Marked string   `json:"text"`
	Left   []string `json:"left"`
}

// A Check is the trial of one route.
type Check struct {
	Route   string `json:"route"`
	Outcome string `json:"outcome"`          // as clipboard.Outcome words it
	Limit   int    `json:"limit,omitempty"`  // bytes; 0 is no limit
	Note    string `json:"note,omitempty"`   // what else is known of a route that took the text
	Reason  string `json:"reason,omitempty"` // why it failed
	Mend    string `json:"mend,omitempty"`   // the one line that mends it
}

// Doctor tries each route of the plan with a text of its own, also those that a
// copy would not need, and reads back where that can only give this text: what
// our own owner holds, and tmux's newest buffer, which it then removes again. It
// reads nothing of the user's. The text stays in the clipboard. It blocks, up to
// a minute where nothing answers; a copy that is made meanwhile ends it.
func (d *Deliverer) Doctor(ctx context.Context) Report {
	ctx, done := d.begin(ctx, doctorLimit)
	defer done()
	p := d.look(ctx, "")
	r := Report{
		Context: append(p.context.Facts(), route.Fact{Name: "clipboard.route", Value: d.chosen()}),
		Works:   WorksNot,
		Marked:  "copydesk doctor " + d.now().Format("2006-01-02 15:04:05"),
		Checks:  []Check{}, Left: []string{},
	}
	e := examination{copying: copying{Deliverer: d, place: p, body: r.Marked}, report: &r}
	for _, way := range route.Choose(p.context, d.choice) {
		e.try(ctx, way)
	}
	for _, result := range e.results {
		switch {
		case result.Outcome == clipboard.Owned:
			r.Works = Works
		case result.Outcome == clipboard.Sent && r.Works == WorksNot:
			r.Works = MayWork
		}
	}
	return r
}

func (d *Deliverer) chosen() string {
	if d.choice == "" {
		return route.Auto
	}
	return d.choice
}

// An examination is the doctor at work.
type examination struct {
	copying
	report *Report
	ours   bool // the machine's clipboard holds our text, by its owner's own word
}

// try tries a route and notes what came of it.
func (e *examination) try(ctx context.Context, r route.Route) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, noAnswer(e.limit))
	defer cancel()
	before := len(e.results)
	switch {
	case r.Kind == route.Terminal && e.sender == nil:
		e.add(clipboard.RouteResult{
			Route: clipboard.RouteOSC52, Reason: "there is no terminal to write to", Mend: "Run it in a terminal.",
		})
	case r.Kind == route.File:
		e.tryFile(ctx)
		return
	default:
		e.by(ctx, r)
		e.settle(ctx)
	}
	for _, result := range e.results[before:] {
		c := checked(result, r.Limit)
		switch {
		case result.Outcome == clipboard.Buffered:
			c.Note = e.emptyBuffer(ctx, e.servers[r.Server])
		case result.Outcome == clipboard.Owned:
			c.Note = e.readOwned(ctx, r, result.Route)
			if r.Kind != route.Native || !e.fleeting {
				e.left(clipboard.Label(result.Route))
			}
		case result.Outcome == clipboard.Sent:
			c.Note = "not confirmed, terminals do not answer"
			if r.Kind == route.Terminal && c.Mend == "" && e.context.Terminal == route.Unknown {
				c.Mend = mendUnknownTerminal
			}
			e.left("your terminal's clipboard, if it took it")
		case r.Kind == route.Native && c.Mend == "":
			c.Mend = mendNative(result.Route)
		}
		e.report.Checks = append(e.report.Checks, c)
	}
}

// left notes once where the text stays.
func (e *examination) left(where string) {
	for _, known := range e.report.Left {
		if known == where {
			return
		}
	}
	e.report.Left = append(e.report.Left, where)
}

// tryFile saves the text in the state folder and removes it again.
func (e *examination) tryFile(ctx context.Context) {
	if e.stateDir == "" {
		return
	}
	result := e.save(ctx, e.body, "")
	c := checked(result, 0)
	if result.Outcome == clipboard.Saved {
		c.Note = "the last resort; removed again"
		if err := os.Remove(result.Path); err != nil {
			c.Note = "it is in " + result.Path
		}
	}
	e.report.Checks = append(e.report.Checks, c)
}

func checked(r clipboard.RouteResult, limit int) Check {
	return Check{Route: r.Route, Outcome: r.Outcome.String(), Limit: limit, Reason: r.Reason, Mend: r.Mend}
}

// readOwned reads the machine's clipboard back through a tool, if one is there
// and it is sure to find our text: an owner has said that it has it, or had it
// before a tool took it over. A tool ends a moment before it owns the text.
func (e *examination) readOwned(ctx context.Context, r route.Route, took string) string {
	if r.Kind == route.Native {
		e.ours = true
	}
	if !e.ours {
		return ""
	}
	var readers []call
	switch took {
	case clipboard.RouteWayland, "wl-copy":
		readers = []call{{program: "wl-paste", args: []string{"--no-newline"}}}
	case clipboard.RouteX11, "xclip", "xsel":
		readers = []call{
			{program: "xclip", args: []string{"-out", "-selection", "clipboard"}},
			{program: "xsel", args: []string{"--output", "--clipboard"}},
		}
	case clipboard.RouteMac, "pbcopy":
		readers = []call{{program: "pbpaste"}}
	}
	for _, reader := range readers {
		if _, err := e.find(reader.program); err != nil {
			continue
		}
		got, err := e.hear(ctx, reader, e.place.environ)
		switch {
		case err != nil:
			return fmt.Sprintf("not read back: %s: %s", reader.program, reason(err))
		case got == e.body:
			return readBack + " with " + reader.program
		}
		return otherText
	}
	return "not read back: no tool for it is installed"
}

// emptyBuffer looks whether tmux's newest buffer is ours, and removes it.
func (e *examination) emptyBuffer(ctx context.Context, environ []string) string {
	got, err := e.hear(ctx, call{program: "tmux", args: []string{"show-buffer"}}, environ)
	switch {
	case err != nil:
		return "not read back: " + reason(err)
	case got != e.body:
		return otherText
	}
	if err := e.run(ctx, call{program: "tmux", args: []string{"delete-buffer"}, environ: environ}); err != nil {
		e.left("tmux's buffer")
		return readBack
	}
	return readBack + ", and removed again"
}

// hear runs a program and returns what it prints.
func (e *examination) hear(ctx context.Context, c call, environ []string) (string, error) {
	c.environ, c.out = environ, scratch()
	defer c.out.Close()
	err := e.run(ctx, c)
	return said(c.out), err
}

// mendUnknownTerminal is what to do where nobody knows whose terminal it is.
const mendUnknownTerminal = "If nothing arrives: xterm needs XTerm*allowWindowOps: true; GNOME Terminal and Apple's Terminal never take it."

// mendNative is what to look at where the machine's own protocol fails.
func mendNative(name string) string {
	switch name {
	case clipboard.RouteX11:
		return "Check DISPLAY and XAUTHORITY; over SSH, connect anew with ssh -X."
	case clipboard.RouteWayland:
		return "Check WAYLAND_DISPLAY and XDG_RUNTIME_DIR, or install wl-clipboard."
	}
	return ""
}

// JSON is the report for programs, indented and ended by a line feed.
func (r Report) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return append(out, '\n'), nil
}

// Text is the report for a person, ended by a line feed. Nothing in it is a
// control character but the line feeds.
func (r Report) Text() string {
	var b strings.Builder
	b.WriteString("Where you are:\n")
	width := 0
	for _, f := range r.Context {
		width = max(width, len(f.Name))
	}
	for _, f := range r.Context {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f.Name, text.CleanLine(f.Value))
	}
	b.WriteString("\nThe ways of a copy, in their order:\n")
	if len(r.Checks) == 0 {
		b.WriteString("  none: clipboard.route is off\n")
	}
	width = 0
	for _, c := range r.Checks {
		width = max(width, len(clipboard.Label(c.Route)))
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, clipboard.Label(c.Route), c.line())
		if c.Mend != "" {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, "", c.Mend)
		}
	}
	b.WriteString("\n" + r.Works.sentence() + "\n")
	if len(r.Left) > 0 {
		fmt.Fprintf(&b, "The text %q is now in: %s. What was there before is gone; it was not read.\n", r.Marked, strings.Join(r.Left, ", "))
	}
	return b.String()
}

// line is what came of the trial.
func (c Check) line() string {
	words := map[string]string{"owned": "ok", "buffered": "ok", "saved": "ok", "sent": "sent"}
	word := words[c.Outcome]
	switch {
	case word == "":
		return "failed: " + strings.TrimSuffix(c.Reason, ".")
	case c.Note != "":
		word += ", " + c.Note
	}
	if c.Limit > 0 {
		word += fmt.Sprintf(", up to %s", clipboard.Size(c.Limit))
	}
	return word
}

// sentence words the verdict.
func (v Verdict) sentence() string {
	switch v {
	case Works:
		return "Copies work."
	case MayWork:
		return "Copies probably work: they are sent to your terminal, which does not answer. Paste somewhere to be sure."
	}
	return "Copies reach no clipboard from here. What failed above says what mends it."
}

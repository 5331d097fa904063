package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"copydesk/core/clipboard"
	"copydesk/core/text"
	"copydesk/platform/deliver/osc52"
	"copydesk/platform/deliver/route"
)

// A copying is one copy on its way.
type copying struct {
	*Deliverer
	place
	body    string
	unfit   error // why the text is not one for a desktop's clipboard, or nil
	results []clipboard.RouteResult

	late  <-chan error // a write that the terminal has not taken yet,
	where int          // the place of its result,
	hint  string       // and what to do if it does not arrive
}

// carry sends the text by the routes of a plan. A file is the last resort, also
// when the time is over: a text that nothing took in time is not lost.
func (c *copying) carry(ctx context.Context, plan []route.Route) {
	more := true
	for _, r := range plan {
		switch {
		case r.Kind == route.File:
			c.settle(ctx)
			c.byFile(ctx, r)
		case more && !(r.Spare && c.taken()):
			more = c.by(ctx, r)
		}
	}
	c.settle(ctx)
}

// by sends the text by a route, and reports whether those after it are of use.
func (c *copying) by(ctx context.Context, r route.Route) (more bool) {
	if ctx.Err() != nil {
		c.fail("", context.Cause(ctx))
		return false
	}
	if r.Wait > 0 {
		wait, cancel := context.WithTimeoutCause(ctx, r.Wait, noAnswer(r.Wait))
		defer cancel()
		ctx = wait
	}
	switch r.Kind {
	case route.Terminal:
		c.byTerminal(ctx, r)
		return true
	case route.Buffer:
		c.byBuffer(ctx, r)
		return true
	case route.Command:
		c.byCommand(ctx)
		return false
	}
	return c.byMachine(ctx, r)
}

// taken reports whether a route took the text.
func (c *copying) taken() bool {
	return slices.ContainsFunc(c.results, func(r clipboard.RouteResult) bool { return r.Outcome != clipboard.Failed })
}

// add notes the result of a route.
func (c *copying) add(r clipboard.RouteResult) { c.results = append(c.results, r) }

// fail notes that a route did not take the text.
func (c *copying) fail(name string, err error) {
	c.add(clipboard.RouteResult{Route: name, Reason: reason(err)})
}

// byTerminal sends OSC 52. A terminal that does not read at once is left to
// itself while the other routes are tried.
func (c *copying) byTerminal(ctx context.Context, r route.Route) {
	refused := clipboard.RouteResult{Route: clipboard.RouteOSC52, Mend: r.Mend}
	switch {
	case c.sender == nil:
		return
	case r.Barred != "":
		refused.Reason = r.Barred
		c.add(refused)
		return
	case len(c.body) > r.Limit:
		refused.Reason = reason(tooLong(len(c.body), r.Limit))
		c.add(refused)
		return
	}
	written := c.sender.send(sequence52([]byte(c.body), r))
	brief, cancel := context.WithTimeout(ctx, c.limit/4)
	defer cancel()
	select {
	case err := <-written:
		c.add(sent(err, r.MendSent))
	case <-brief.Done():
		c.late, c.where, c.hint = written, len(c.results), r.MendSent
		c.add(sent(errors.New("the terminal has not taken it yet"), ""))
	}
}

// settle waits for the terminal as long as there is time.
func (c *copying) settle(ctx context.Context) {
	if c.late == nil {
		return
	}
	select {
	case err := <-c.late:
		c.results[c.where] = sent(err, c.hint)
		c.late = nil
	case <-ctx.Done():
	}
}

// byBuffer loads tmux's paste buffer, which tmux sends on to its clients.
func (c *copying) byBuffer(ctx context.Context, r route.Route) {
	name := clipboard.RouteTmux
	if r.Server > 0 {
		name = clipboard.RouteOuterTmux
	}
	if len(c.body) > r.Limit {
		c.fail(name, tooLong(len(c.body), r.Limit))
		return
	}
	err := c.loadErr
	if r.Server > 0 || !c.loaded {
		ctx, cancel := half(ctx)
		defer cancel()
		err = c.run(ctx, call{program: "tmux", args: loadBuffer(), environ: c.servers[r.Server], text: c.body})
	}
	if err != nil {
		c.fail(name, err)
		return
	}
	buffered := clipboard.RouteResult{Route: name, Outcome: clipboard.Buffered}
	out := c.isSent()
	if !out && !r.Forwards {
		buffered.Mend = r.Mend
	}
	c.add(buffered)
	if !out && r.Forwards {
		c.add(sent(nil, ""))
	}
}

// isSent reports whether OSC 52 went out already.
func (c *copying) isSent() bool {
	return slices.ContainsFunc(c.results, func(r clipboard.RouteResult) bool { return r.Outcome == clipboard.Sent })
}

// byCommand hands the text to the user's own program.
func (c *copying) byCommand(ctx context.Context) {
	result := clipboard.RouteResult{Route: clipboard.RouteCommand, Outcome: clipboard.Owned}
	if len(c.command) == 0 {
		c.fail(result.Route, errors.New("clipboard.command names no program"))
		return
	}
	environ := c.place.environ
	if agent := c.env("SSH_AUTH_SOCK"); agent != "" {
		environ = append(slices.Clone(environ), "SSH_AUTH_SOCK="+agent)
	}
	err := c.run(ctx, call{program: c.command[0], args: c.command[1:], environ: environ, text: c.body})
	if errors.Is(err, errNotFound) {
		result.Route = c.command[0]
	}
	if err != nil {
		result.Outcome, result.Reason = clipboard.Failed, reason(err)
	}
	c.add(result)
}

// byFile saves the text in a file: as the last resort, or because that was
// asked for.
func (c *copying) byFile(ctx context.Context, r route.Route) {
	// A copy that was overtaken or given up is not worth a file.
	if r.Spare && (c.taken() || c.stateDir == "" || errors.Is(ctx.Err(), context.Canceled)) {
		return
	}
	if ctx.Err() != nil {
		more, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), fileWait, noAnswer(fileWait))
		defer cancel()
		ctx = more
	}
	c.add(c.save(ctx, c.body, ""))
}

// byMachine puts the text on the clipboard of this machine. Those routes are
// alternatives: the first one that takes the text is the last, and so is one
// that gets no answer, because the others ask the same display server.
func (c *copying) byMachine(ctx context.Context, r route.Route) (more bool) {
	if c.unfit != nil {
		c.fail(r.Name, c.unfit)
		return false
	}
	if r.Limit > 0 && len(c.body) > r.Limit {
		c.fail(r.Name, tooLong(len(c.body), r.Limit))
		return true
	}
	result := clipboard.RouteResult{Route: r.Name, Outcome: clipboard.Owned}
	var err error
	if r.Kind == route.Native {
		var took string
		took, err = c.own(ctx, c.place.environ, c.body)
		result.Route = cmp.Or(took, r.Name)
	} else {
		err = c.byTool(ctx, r.Name)
	}
	if err != nil {
		result.Outcome, result.Reason = clipboard.Failed, reason(err)
	}
	if errors.Is(err, errNotFound) {
		result.Mend = install(r.Name)
	}
	c.add(result)
	return err != nil && ctx.Err() == nil
}

// byTool runs a tool. The primary selection is an extra, of which nothing is
// said.
func (c *copying) byTool(ctx context.Context, program string) error {
	at := call{program: program, args: toolArgs(program), environ: c.place.environ, text: c.body}
	if c.selection {
		if at.args = primaryArgs(program); at.args == nil {
			return errors.New("it sets no primary selection")
		}
	}
	err := c.run(ctx, at)
	if args := primaryArgs(program); err == nil && c.primary && !c.selection && args != nil {
		at.args = args
		_ = c.run(ctx, at)
	}
	return err
}

// sequence52 builds the sequence in the form of a route.
func sequence52(body []byte, r route.Route) []byte {
	switch r.Form {
	case route.ThroughTmux:
		return osc52.AppendTmux(nil, body, r.Levels)
	case route.TmuxEither:
		return osc52.AppendTmux(osc52.AppendTmux(nil, body, r.Levels), body, r.Levels-1)
	case route.ScreenPieces:
		return osc52.AppendScreen(nil, body)
	default:
		return osc52.Append(nil, body)
	}
}

// half leaves half of the time that is left to what comes after.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	left := time.Until(deadline) / 2
	return context.WithTimeoutCause(ctx, left, noAnswer(left.Round(10*time.Millisecond)))
}

// noAnswer is what ended a wait.
func noAnswer(within time.Duration) error {
	return fmt.Errorf("no answer within %.3g s", within.Seconds())
}

// sent is the result of OSC 52 when the write ended with err.
func sent(err error, hint string) clipboard.RouteResult {
	if err != nil {
		return clipboard.RouteResult{Route: clipboard.RouteOSC52, Reason: reason(err)}
	}
	return clipboard.RouteResult{Route: clipboard.RouteOSC52, Outcome: clipboard.Sent, Mend: hint}
}

// unfit says why a text cannot be put on a desktop's clipboard byte for byte:
// those hold Unicode, and on Windows the text ends at a NUL. OSC 52 and tmux
// carry any bytes.
func unfit(body string) error {
	switch {
	case !utf8.ValidString(body):
		return errors.New("the text is not valid UTF-8")
	case strings.ContainsRune(body, 0):
		return errors.New("the text holds a NUL")
	}
	return nil
}

// tooLong says that a route would cut or lose a text of n bytes.
func tooLong(n, limit int) error {
	size, most := clipboard.Size(n), clipboard.Size(limit)
	if size == most {
		size, most = fmt.Sprintf("%d B", n), fmt.Sprintf("%d B", limit)
	}
	return fmt.Errorf("%s is more than the %s it carries whole", size, most)
}

// reason is an error as one line that is safe to show.
func reason(err error) string {
	if errors.Is(err, errNotFound) {
		return clipboard.NotFound
	}
	return text.CleanLine(err.Error())
}

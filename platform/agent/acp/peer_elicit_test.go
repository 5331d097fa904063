//go:build unix

package acp_test

import (
	"errors"
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

func form(message, properties, required string) string {
	return `{"mode":"form","sessionId":"s1","message":` + quote(message) + `,"requestedSchema":{"type":"object","properties":` + properties + `,"required":` + required + `}}`
}

// inquired starts a turn and asks a question in it.
func inquired(t testing.TB, params string) (*rig, *peer, *turn, *session.Request) {
	t.Helper()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.ask("0", "elicitation/create", params)
	return r, p, tn, r.request(1)
}

func TestInitializeOffersWhatIsThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	w := p.expect("initialize")
	var params struct {
		ProtocolVersion int `json:"protocolVersion"`
		ClientInfo      struct{ Name, Version string }
	}
	into(t, w.Params, &params)
	if params.ProtocolVersion != 1 || params.ClientInfo.Name != "copydesk" || params.ClientInfo.Version != "1.2.3" {
		t.Errorf("initialize says %s", w.Params)
	}
	offered := decode(t, string(w.Params)).(map[string]any)["clientCapabilities"].(map[string]any)
	if e, ok := offered["elicitation"].(map[string]any); !ok || e["form"] == nil {
		t.Errorf("elicitation forms are not offered: %v", offered)
	}
	if offered["terminal"] == true {
		t.Error("terminals are offered")
	}
	if fs, ok := offered["fs"].(map[string]any); ok && (fs["readTextFile"] == true || fs["writeTextFile"] == true) {
		t.Error("files are offered")
	}
	p.answer(w, plainInitialize)
	w = p.expect("session/new")
	opened := decode(t, string(w.Params)).(map[string]any)
	if servers, ok := opened["mcpServers"].([]any); !ok || len(servers) != 0 || opened["cwd"] != r.dir {
		t.Errorf("session/new says %s", w.Params)
	}
	p.answer(w, plainNew)
}

func TestElicitationChoice(t *testing.T) {
	t.Parallel()
	for name, property := range map[string]string{
		"enum":  `{"c":{"type":"string","title":"Colour","enum":["r","b"]}}`,
		"oneOf": `{"c":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]}}`,
	} {
		r, p, tn, q := inquired(t, form("Which?", property, `["c"]`))
		if q.Kind != session.Choice || len(q.Choices) != 2 || q.Means != nil || !strings.Contains(q.Prompt, "Which?") || q.From == "" {
			t.Fatalf("%s: the request is %+v", name, q)
		}
		r.reply(q, choose(q, 1))
		p.expectAnswer("0", `{"action":"accept","content":{"c":"b"}}`)
		p.end("end_turn")
		r.done(tn)
	}
}

func TestElicitationText(t *testing.T) {
	t.Parallel()
	r, p, tn, q := inquired(t, form("Your name?", `{"n":{"type":"string","title":"Name"}}`, `["n"]`))
	switch q.Kind {
	case session.TextInput:
		r.reply(q, session.Answer{Verdict: session.Entered, Value: "Ada \u00e9"})
	case session.Form:
		r.reply(q, session.Answer{Verdict: session.Filled, Values: [][]string{{"Ada \u00e9"}}})
	default:
		t.Fatalf("the request is %+v", q)
	}
	p.expectAnswer("0", `{"action":"accept","content":{"n":"Ada \u00e9"}}`)
	p.end("end_turn")
	r.done(tn)
}

const everyInput = `{
	"line":{"type":"string","title":"Line","description":"help","minLength":2,"maxLength":5,"pattern":"^[a-z]+$"},
	"mail":{"type":"string","format":"email","default":"a@b"},
	"num":{"type":"number","minimum":0.5,"maximum":2.5},
	"int":{"type":"integer","minimum":-3,"maximum":9007199254740993,"default":2},
	"bool":{"type":"boolean","default":true},
	"one":{"type":"string","oneOf":[{"const":"x","title":"Ex","description":"the x"},{"const":"y","title":"Why"}],"default":"y"},
	"many":{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"p","title":"P"},{"const":"q","title":"Q"},{"const":"r","title":"R"}]},"default":["p"]},
	"flat":{"type":"array","items":{"type":"string","enum":["k","l"]}}}`

func TestElicitationEveryInput(t *testing.T) {
	t.Parallel()
	r, p, tn, q := inquired(t, form("All of it", everyInput, `["line","num"]`))
	if q.Kind != session.Form || len(q.Inputs) != 8 {
		t.Fatalf("the request is %+v", q)
	}
	kinds := map[string]session.InputKind{"line": session.Line, "mail": session.Line, "num": session.Number, "int": session.Integer,
		"bool": session.Switch, "one": session.OneOf, "many": session.ManyOf, "flat": session.ManyOf}
	order := []string{"line", "mail", "num", "int", "bool", "one", "many", "flat"}
	fill := map[string][]string{"line": {"abc"}, "num": {"1.5"}, "int": {"-2"}, "bool": {"false"}, "one": {"x"}, "many": {"q", "r"}, "mail": nil, "flat": nil}
	values := make([][]string, len(q.Inputs))
	for i, in := range q.Inputs {
		if in.Kind != kinds[in.Name] {
			t.Errorf("%s is of kind %d, want %d", in.Name, in.Kind, kinds[in.Name])
		}
		if in.Name != order[i] {
			t.Errorf("input %d is %s, the agent's order has %s there", i, in.Name, order[i])
		}
		if in.Required != (in.Name == "line" || in.Name == "num") {
			t.Errorf("%s: required is %v", in.Name, in.Required)
		}
		values[i] = fill[in.Name]
	}
	in := q.Inputs[0]
	if in.MinLength != 2 || in.MaxLength != 5 || in.Pattern == "" || in.Help != "help" || in.Title != "Line" {
		t.Errorf("the line is %+v", in)
	}
	if n := q.Inputs[2]; n.Min == nil || *n.Min != 0.5 || n.Max == nil || *n.Max != 2.5 {
		t.Errorf("the number is %+v", n)
	}
	for name, want := range map[int]string{1: "a@b", 3: "2", 4: "true", 5: "y", 6: "p"} {
		if d := q.Inputs[name].Default; len(d) != 1 || d[0] != want {
			t.Errorf("%s starts as %q, want %q", q.Inputs[name].Name, d, want)
		}
	}
	r.reply(q, session.Answer{Verdict: session.Filled, Values: values})
	p.expectAnswer("0", `{"action":"accept","content":{"line":"abc","num":1.5,"int":-2,"bool":false,"one":"x","many":["q","r"]}}`)
	p.end("end_turn")
	r.done(tn)
}

func TestElicitationUnknownInputs(t *testing.T) {
	t.Parallel()
	// One that may be left out is left out; one that is needed cannot be given.
	r, p, tn, q := inquired(t, form("?", `{"a":{"type":"string"},"when":{"type":"moonphase"}}`, `["a"]`))
	switch q.Kind {
	case session.TextInput:
		r.reply(q, session.Answer{Verdict: session.Entered, Value: "v"})
	case session.Form:
		values := make([][]string, len(q.Inputs))
		for i, in := range q.Inputs {
			if in.Name == "a" {
				values[i] = []string{"v"}
			}
		}
		r.reply(q, session.Answer{Verdict: session.Filled, Values: values})
	}
	p.expectAnswer("0", `{"action":"accept","content":{"a":"v"}}`)
	p.end("end_turn")
	r.done(tn)
}

func TestElicitationRejected(t *testing.T) {
	t.Parallel()
	r, p, tn, q := inquired(t, form("Which?", `{"c":{"type":"string","enum":["r","b"]}}`, `["c"]`))
	r.reply(q, reject())
	p.expectAnswer("0", `{"action":"decline"}`)
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

func TestElicitationDeclinedWithAReasonGoesOn(t *testing.T) {
	t.Parallel()
	r, p, tn, q := inquired(t, form("Which?", `{"c":{"type":"string","enum":["r","b"]}}`, `["c"]`))
	if !q.TakesReason {
		r.reply(q, reject())
		p.expectAnswer("0", `{"action":"decline"}`)
		p.expect("session/cancel")
		p.end("cancelled")
		r.done(tn)
		return
	}
	r.reply(q, because("neither of them"))
	p.expectAnswer("0", `{"action":"decline"}`)
	p.end("end_turn")
	contains(t, "the prompt", string(p.prompted().Params), "neither of them")
	p.end("end_turn")
	r.done(tn)
}

func TestElicitationURL(t *testing.T) {
	t.Parallel()
	opened := make(chan string, 4)
	r := newRig(t, func(o *acp.Options) {
		o.Browse = func(url string) error { opened <- url; return nil }
	})
	p := r.connected()
	tn := r.turn(p, "go")
	const url = "https://login.example/device?code=AB-CD&next=%2Fhome"
	p.ask("0", "elicitation/create", `{"mode":"url","sessionId":"s1","elicitationId":"e1","url":"`+url+`","message":"Log in"}`)
	q := r.request(1)
	if !field(q, url) && !strings.Contains(q.Prompt, url) {
		t.Errorf("the address is not shown in full: %+v", q)
	}
	select {
	case u := <-opened:
		t.Errorf("%s was opened before anybody said so", u)
	default:
	}
	switch q.Kind {
	case session.Approval:
		r.reply(q, approve())
	case session.Choice:
		r.reply(q, choose(q, 0))
	default:
		t.Fatalf("the request is %+v", q)
	}
	p.expectAnswer("0", `{"action":"accept"}`)
	if u := <-opened; u != url {
		t.Errorf("opened %s", u)
	}
	p.send(`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}`)
	p.say("thanks")
	p.end("end_turn")
	r.done(tn)
}

// TestElicitationURLsThatAreNoWebAddress are never opened (T31).
func TestT31_OnlyWebAddressesAreOpened(t *testing.T) {
	t.Parallel()
	opened := make(chan string, 16)
	r := newRig(t, func(o *acp.Options) {
		o.Browse = func(url string) error { opened <- url; return nil }
	})
	p := r.connected()
	tn := r.turn(p, "go")
	for i, url := range []string{"file:///etc/passwd", "javascript:alert(1)", "ssh://host", "-oProxyCommand=x", "", "data:text/html,x", "https://" + strings.Repeat("a", 4000) + ".example/"} {
		id := string(rune('0' + i))
		p.ask(id, "elicitation/create", `{"mode":"url","sessionId":"s1","elicitationId":"e`+id+`","url":`+quote(url)+`,"message":"Open it"}`)
		// A barrier: whatever the request became, it was handled before this.
		p.say("after " + id)
		r.untilSeen("after " + id)
		for _, e := range r.events(1) {
			if q, is := e.(*session.Request); is && q.Kind == session.Approval && q.Accepts(approve()) == nil {
				select {
				case q.Reply <- approve():
				default:
				}
			}
		}
	}
	tn.cancel()
	for p.next().Method != "session/cancel" {
	}
	p.end("cancelled")
	r.done(tn)
	r.close()
	select {
	case u := <-opened:
		t.Errorf("%q was opened", u)
	default:
	}
}

func TestElicitationURLWithoutABrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *acp.Options) {
		o.Browse = func(string) error { return errors.New("no browser here") }
	})
	p := r.connected()
	tn := r.turn(p, "go")
	p.ask("0", "elicitation/create", `{"mode":"url","sessionId":"s1","elicitationId":"e1","url":"https://x.example/","message":"Log in"}`)
	q := r.request(1)
	if q.Kind == session.Choice {
		r.reply(q, choose(q, 0))
	} else {
		r.reply(q, approve())
	}
	if w := p.next(); string(w.ID) != "0" {
		t.Errorf("the client sent %v", w)
	}
	r.untilSeen("no browser here")
	p.end("end_turn")
	r.done(tn)
}

// TestElicitationOutsideOfATurn: scope request, while a session opens.
func TestElicitationOfARequest(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), plainInitialize)
	opened := p.expect("session/new")
	p.ask("0", "elicitation/create", `{"mode":"form","requestId":`+string(opened.ID)+`,"message":"Which account?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["work","home"]}},"required":["a"]}}`)
	q := r.request(1)
	select {
	case q.Reply <- choose(q, 1):
	default:
		t.Fatal("the request has no room for its answer")
	}
	p.expectAnswer("0", `{"action":"accept","content":{"a":"home"}}`)
	p.answer(opened, plainNew)
	p.session = "s1"
	tn := r.turn(p, "go")
	p.end("end_turn")
	r.done(tn)
}

func TestElicitationNobodyCanAnswer(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for id, params := range map[string]string{
		"1": `{"mode":"telepathy","sessionId":"s1","message":"?"}`,
		"2": `{"mode":"form","sessionId":"s1","message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string","enum":[]}},"required":["x"]}}`,
		"3": `{"mode":"form","sessionId":"unknown","message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}}}}`,
		"4": `{"mode":"form","sessionId":"s1","message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"moonphase"}},"required":["x"]}}`,
		"5": `{"mode":"form","sessionId":"s1"}`,
		"6": `7`,
	} {
		p.ask(id, "elicitation/create", params)
		w := p.next()
		if string(w.ID) != id || strings.Contains(string(w.Result), "accept") {
			t.Errorf("%s: the client sent %v", params, w)
		}
	}
	p.say("on")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "on" {
		t.Errorf("the turn says %q", r.said(1))
	}
}

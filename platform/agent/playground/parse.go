package playground

import (
	"fmt"
	"strings"
)

// parser reads one command of the simple language. It stops at the first thing
// that does not fit, with bad.
type parser struct {
	tokens []token
	i      int
	form   string // the form that an error shows
	depth  int    // of open brackets and nots in a condition
}

// misfit is what the parser's functions panic with; parse turns it into an
// error. It keeps the grammar below readable.
type misfit struct{ err error }

// parse reads a command of the simple language.
func parse(input string) (c command, err error) {
	p := &parser{tokens: lex(input, simpleGrammar)}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case misfit:
			c, err = nil, r.err
		default:
			panic(r)
		}
	}()
	for _, t := range p.tokens {
		if t.kind == openToken {
			return nil, plainErrorf("The quote %s in %q is never closed.", t.val, excerpt(input[t.start:]))
		}
	}
	if strings.IndexByte(input, 0) >= 0 && hasNulOutside(input, p.tokens) {
		return nil, plainError("A NUL character can stand in a text only.")
	}
	c = p.command()
	for p.accept(";") {
	}
	if p.peek().kind != endToken {
		p.form = c.form()
		p.bad()
	}
	return c, nil
}

// hasNulOutside reports a NUL that is in no quoted text.
func hasNulOutside(input string, tokens []token) bool {
	at := 0
	for _, t := range tokens {
		from, to := at, t.end
		if t.kind == singleToken || t.kind == doubleToken {
			to = t.start
		}
		if strings.IndexByte(input[from:to], 0) >= 0 {
			return true
		}
		at = t.end
	}
	return false
}

func (p *parser) peek() token { return p.tokens[p.i] }

// ahead is the token n places on.
func (p *parser) ahead(n int) token { return p.tokens[min(p.i+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.i]
	if t.kind != endToken {
		p.i++
	}
	return t
}

// accept takes the given word or sign when it comes next.
func (p *parser) accept(w string) bool {
	t := p.peek()
	if t.is(w) || t.kind == punctToken && t.val == w {
		p.i++
		return true
	}
	return false
}

// words takes all the given words or none.
func (p *parser) words(list ...string) bool {
	for i, w := range list {
		if !p.ahead(i).is(w) {
			return false
		}
	}
	p.i += len(list)
	return true
}

// any takes one of the given words or signs.
func (p *parser) any(list ...string) bool {
	for _, w := range list {
		if p.accept(w) {
			return true
		}
	}
	return false
}

func (p *parser) need(list ...string) {
	if !p.any(list...) {
		p.bad()
	}
}

// bad gives up at the next token.
func (p *parser) bad() {
	t := p.peek()
	var says string
	switch {
	case t.kind == endToken && p.i == 0:
		says = "There is nothing to do."
	case t.kind == endToken:
		says = "Something is missing at the end."
	default:
		says = fmt.Sprintf("%q does not fit here.", excerpt(t.val))
	}
	if p.form != "" {
		says += " The form is: " + p.form + "."
	}
	panic(misfit{plainError(says)})
}

// name takes the name of a table or a column: a bare word or anything in quotes.
func (p *parser) name() string {
	t := p.peek()
	if t.kind == wordToken || t.kind == doubleToken || t.kind == nameToken || t.kind == singleToken {
		if strings.IndexByte(t.val, 0) >= 0 || t.val == "" {
			panic(misfit{plainError("A name needs characters, and none of them can be NUL.")})
		}
		p.i++
		return t.val
	}
	p.bad()
	return ""
}

// quotedName reports whether the next token is a name in quotes.
func (p *parser) quotedName() bool {
	k := p.peek().kind
	return k == doubleToken || k == nameToken || k == singleToken
}

// value takes a literal.
func (p *parser) value() value {
	sign := ""
	if t := p.peek(); t.kind == punctToken && (t.val == "-" || t.val == "+") && p.ahead(1).kind == numberToken {
		p.i++
		if t.val == "-" {
			sign = "-"
		}
	}
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.i++
		return value{numberValue, sign + t.val}
	case t.kind == singleToken, t.kind == doubleToken, t.kind == nameToken:
		p.i++
		return value{textValue, t.val}
	case t.is("null"):
		p.i++
		return value{kind: nullValue}
	case t.kind == wordToken:
		p.i++
		return value{wordValue, t.val}
	}
	p.bad()
	return value{}
}

// values takes literals with commas between them.
func (p *parser) values() []value {
	out := []value{p.value()}
	for p.accept(",") {
		out = append(out, p.value())
	}
	return out
}

// term takes a value, or two with a sign between them.
func (p *parser) term() term {
	t := term{left: p.value()}
	for _, op := range [...]string{"+", "-", "*", "/"} {
		if p.accept(op) {
			t.op = op
			t.right = p.value()
			return t
		}
	}
	// age +1 and age -1: the sign hangs on to the number.
	return t
}

// end reports whether the command is over.
func (p *parser) end() bool {
	t := p.peek()
	return t.kind == endToken || t.kind == punctToken && t.val == ";"
}

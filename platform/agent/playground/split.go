package playground

import "strings"

// A statement is one SQL statement of an input, without the semicolon that
// ends it. Its tokens' offsets point into text.
type statement struct {
	text   string
	tokens []token
}

// at is the statement's n-th token (0-based), or its end token.
func (s statement) at(n int) token {
	if n < len(s.tokens) {
		return s.tokens[n]
	}
	return token{kind: endToken, start: len(s.text), end: len(s.text)}
}

// starts reports whether the statement starts with the given keywords.
func (s statement) starts(words ...string) bool {
	for i, w := range words {
		if !s.at(i).is(w) {
			return false
		}
	}
	return true
}

// parseStatement makes a statement of SQL that is known to be a single one.
func parseStatement(sql string) statement {
	return statement{text: sql, tokens: lex(sql, sqlGrammar)}
}

// split cuts SQL into its statements. Semicolons inside of strings, quoted
// names and comments do not count, and a CREATE TRIGGER goes on until the END
// that stands alone between two semicolons, as sqlite3_complete has it.
func split(sql string) ([]statement, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, plainError("The SQL has a NUL character in it; take it out and send it again.")
	}
	var (
		out     []statement
		current []token
	)
	flush := func() {
		if len(current) == 0 {
			return
		}
		from, to := current[0].start, current[len(current)-1].end
		text := sql[from:to]
		shifted := make([]token, len(current), len(current)+1)
		for i, t := range current {
			t.start -= from
			t.end -= from
			shifted[i] = t
		}
		out = append(out, statement{text, append(shifted, token{kind: endToken, start: len(text), end: len(text)})})
		current = nil
	}
	for _, t := range lex(sql, sqlGrammar) {
		switch {
		case t.kind == endToken:
			flush()
		case t.kind == openToken:
			return nil, plainErrorf("The quote %s in %q is never closed.", t.val, excerpt(sql[t.start:]))
		case t.kind == punctToken && t.val == ";" && !insideTrigger(current):
			flush()
		default:
			current = append(current, t)
		}
	}
	return out, nil
}

// insideTrigger reports whether the tokens are a CREATE TRIGGER whose body has
// not ended.
func insideTrigger(tokens []token) bool {
	i := 0
	next := func(w string) bool {
		if i < len(tokens) && tokens[i].is(w) {
			i++
			return true
		}
		return false
	}
	if next("explain") && next("query") {
		next("plan")
	}
	if !next("create") {
		return false
	}
	if !next("temp") {
		next("temporary")
	}
	if !next("trigger") {
		return false
	}
	n := len(tokens)
	ended := n > i+1 && tokens[n-1].is("end") && tokens[n-2].kind == punctToken && tokens[n-2].val == ";"
	return !ended
}

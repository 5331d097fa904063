package playground

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Complete gives the words that can end the input up to the cursor, and the
// byte at which the word that they replace starts. It may be called from any
// goroutine, while a prompt runs too.
func (a *Agent) Complete(input string) (start int, words []string) {
	a.mu.Lock()
	mode, known := a.mode, a.known
	a.mu.Unlock()
	start = len(input)
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(input[:start])
		if !wordStart(r) && !isDigit(r) {
			break
		}
		start -= n
	}
	before := lex(input[:start], simpleGrammar)
	if n := len(before); n > 1 && before[n-2].kind == openToken {
		return start, nil // inside of a quoted text
	}
	prefix := strings.ToLower(input[start:])
	for _, w := range candidates(mode, known, before[:len(before)-1], prefix != "") {
		if strings.HasPrefix(strings.ToLower(w), prefix) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return start, words
}

// candidates lists what can follow the tokens that stand before the cursor.
// begun says that a word is typed already: only then are keywords offered, which
// are many.
func candidates(mode string, known *schema, before []token, begun bool) []string {
	if known == nil {
		known = &schema{}
	}
	if mode == advanced {
		for i, tok := range before {
			if tok.kind == punctToken && tok.val == ";" {
				return candidates(mode, known, before[i+1:], begun)
			}
		}
	}
	switch {
	case len(before) == 0 && begun:
		return starts(mode)
	case len(before) == 0:
		return nil
	}
	first := strings.ToLower(before[0].val)
	if appWord(first) || first == "copy" {
		if len(before) > 1 {
			return nil
		}
		return settings(first)
	}
	if mode == advanced && first != "import" && first != "export" {
		return sqlWords(known, before, begun)
	}
	return simpleWords(known, before, begun)
}

// starts lists what an input can begin with.
func starts(mode string) []string {
	out := []string{"create table", "drop table", "drop column", "rename table", "rename column", "add column",
		"insert into", "update", "delete from", "show", "show tables", "describe", "count"}
	if mode == advanced {
		out = []string{"SELECT", "INSERT INTO", "UPDATE", "DELETE FROM", "CREATE TABLE", "ALTER TABLE", "DROP TABLE",
			"WITH", "EXPLAIN QUERY PLAN", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA"}
	}
	return append(out, "import", "export", "more", "mode", "messages", "help", "copy")
}

// settings lists what can follow a word that is for the program itself.
func settings(word string) []string {
	switch word {
	case "mode":
		return []string{simple, advanced}
	case "messages":
		return []string{short, verbose}
	case "copy":
		return []string{"all", "last"}
	}
	var out []string
	for _, p := range topics() {
		out = append(out, p.word)
	}
	return out
}

// simpleWords lists what can follow in a command of the simple language.
func simpleWords(known *schema, before []token, begun bool) []string {
	first, last := strings.ToLower(before[0].val), strings.ToLower(before[len(before)-1].val)
	tables := bareNames(known.names())
	if len(before) == 1 {
		switch first {
		case "show", "list":
			return append([]string{"tables"}, tables...)
		case "describe", "desc", "count", "update", "change", "import", "export":
			return tables
		case "drop", "remove", "rename":
			return []string{"table", "column"}
		case "create", "make":
			return []string{"table"}
		case "add":
			return []string{"column"}
		case "insert":
			return []string{"into"}
		case "delete":
			return []string{"from"}
		}
	}
	switch last {
	case "into", "references", "->", "of":
		return tables
	case "in":
		if slices.ContainsFunc(before, func(t token) bool { return t.is("where") }) {
			return nil // a list of values comes
		}
		return tables
	case "from":
		if first == "import" {
			return nil
		}
		return tables
	case "to":
		if first == "rename" || first == "export" {
			return nil
		}
		return tables
	case "table":
		if first == "create" || first == "make" {
			return nil
		}
		return tables
	case "column", "field":
		if first == "add" {
			return nil
		}
		return allColumns(known)
	case "set", "where", "by", "and", "or", "not", ",", "(":
		return columnsOf(known, before)
	}
	if !begun {
		return nil
	}
	return append(columnsOf(known, before), "column", "table", "with", "where", "and", "or", "not", "sort by", "limit", "set", "into",
		"values", "from", "to", "in", "is null", "contains", "starts with", "ends with", "between", "text", "int", "number",
		"date", "yes-no", "required", "unique", "primary key", "default", "refers to")
}

// sqlWords lists what can follow in SQL.
func sqlWords(known *schema, before []token, begun bool) []string {
	last := before[len(before)-1]
	tables := bareNames(known.names())
	switch strings.ToLower(last.val) {
	case "table":
		if before[0].is("create") {
			return nil
		}
		return tables
	case "from", "join", "into", "update", "references":
		return tables
	}
	out := columnsOf(known, before)
	if !begun {
		return out
	}
	if len(out) == 0 {
		out = allColumns(known) // the tables are named later on
	}
	out = append(out, tables...)
	return append(out, "SELECT", "FROM", "INTO", "TABLE", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "VALUES", "SET", "JOIN", "ON",
		"AND", "OR", "NOT", "NULL", "IN", "LIKE", "BETWEEN", "AS", "DISTINCT", "HAVING", "UNION ALL", "RETURNING")
}

// columnsOf lists the columns of the tables that are named before the cursor.
func columnsOf(known *schema, before []token) []string {
	var out []string
	for _, tok := range before {
		if of := known.table(tok.val); of != nil && tok.kind != singleToken {
			out = append(out, bareNames(of.names())...)
		}
	}
	return out
}

func allColumns(known *schema) []string {
	var out []string
	for _, of := range known.tables {
		out = append(out, bareNames(of.names())...)
	}
	return out
}

// bareNames leaves out the names that would have to be quoted: a half quoted
// word cannot be completed.
func bareNames(names []string) []string {
	var out []string
	for _, n := range names {
		if quoteName(n) == n {
			out = append(out, n)
		}
	}
	return out
}

package playground

import (
	"fmt"
	"slices"
	"strings"
)

// simpleVerbs are the words that a command of the simple language, or one to
// the program itself, begins with.
func simpleVerbs() []string {
	return []string{"create", "make", "drop", "remove", "rename", "add", "insert", "update", "change", "delete", "show", "list",
		"describe", "desc", "count", "import", "export", "more", "mode", "messages", "help", "copy"}
}

// sqlVerbs are the words that a statement of SQL begins with
// (https://www.sqlite.org/lang.html).
func sqlVerbs() []string {
	return []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "WITH", "VALUES", "REPLACE", "EXPLAIN",
		"PRAGMA", "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "ATTACH", "DETACH", "VACUUM", "REINDEX", "ANALYZE"}
}

// sqlVerb reports whether an input starts like SQL.
func sqlVerb(input string) bool {
	first := lex(input, sqlGrammar)[0]
	return first.kind == wordToken && slices.Contains(sqlVerbs(), strings.ToUpper(first.val))
}

// unknownCommand says that the simple language has no command that begins with
// a word, and which one may be meant.
func unknownCommand(word string) string {
	says := fmt.Sprintf("Simple mode has no command %q", excerpt(word))
	upper := strings.ToUpper(word)
	if meant := near(word, append(simpleVerbs(), sqlVerbs()...)); len(meant) > 0 && !slices.Contains(sqlVerbs(), upper) {
		says += ". Did you mean " + meant[0] + "?"
		if slices.Contains(sqlVerbs(), meant[0]) {
			return says + " mode advanced runs plain SQL."
		}
		return says + " help lists all commands."
	}
	return says + "; help lists those that it has."
}

// noStatement says that no statement begins with what a statement begins with,
// and which keyword may be meant. It is empty when the syntax error is at
// another place.
func noStatement(s statement, at string) string {
	first := s.at(0)
	if s.text[first.start:first.end] != at || slices.Contains(sqlVerbs(), strings.ToUpper(at)) {
		return ""
	}
	says := fmt.Sprintf("No SQL statement begins with %q.", excerpt(at))
	meant := near(at, append(sqlVerbs(), "import", "export", "more", "mode", "messages", "help"))
	if len(meant) == 0 || first.kind != wordToken || slices.Contains(simpleVerbs(), strings.ToLower(at)) {
		return says
	}
	return says + " Did you mean " + meant[0] + "?"
}

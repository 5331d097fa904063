package playground

import (
	"strconv"
	"strings"
)

// affinity is what SQLite makes of a declared type
// (https://www.sqlite.org/datatype3.html §3.1).
func affinity(typ string) string {
	typ = strings.ToUpper(typ)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(typ, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("INT"):
		return "INTEGER"
	case has("CHAR", "CLOB", "TEXT"):
		return "TEXT"
	case typ == "" || has("BLOB"):
		return "BLOB"
	case has("REAL", "FLOA", "DOUB"):
		return "REAL"
	}
	return "NUMERIC"
}

// number reports whether the column is declared for numbers. Dates and yes-no
// have SQLite's numeric affinity too, but hold other things.
func (c *column) number() bool {
	switch affinity(c.typ) {
	case "INTEGER", "REAL":
		return true
	case "NUMERIC":
		typ := strings.ToUpper(c.typ)
		return strings.HasPrefix(typ, "NUM") || strings.HasPrefix(typ, "DEC")
	}
	return false
}

// A guess finds the type that keeps all values of a column as they are. The
// zero guess has seen none.
type guess struct {
	some              bool // a value that is not empty
	notWhole, notReal bool
}

// exactWhole is the largest whole number up to which a real keeps them all.
const exactWhole = 1 << 53

// see takes one more value. Blanks around a number do not count: SQLite drops
// them. A leading zero or plus is what a code or a telephone number has, and
// would be lost in a number, as would the last digits of a whole number that is
// too long.
func (g *guess) see(field string) {
	s := strings.TrimSpace(field)
	if s == "" {
		return
	}
	g.some = true
	digits := strings.TrimPrefix(s, "-")
	zeros := len(digits) > 1 && digits[0] == '0' && isDigit(rune(digits[1]))
	if !isNumber(digits) || zeros {
		g.notWhole, g.notReal = true, true
		return
	}
	if strings.Trim(digits, "0123456789") != "" || s == "-0" {
		g.notWhole = true
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			g.notReal = true
		}
		return
	}
	n, err := strconv.ParseInt(s, 10, 64)
	g.notWhole = g.notWhole || err != nil
	g.notReal = g.notReal || err != nil || n < -exactWhole || n > exactWhole
}

// typ is the type that SQLite declares for the column.
func (g guess) typ() string {
	switch {
	case !g.some:
		return "TEXT"
	case !g.notWhole:
		return "INTEGER"
	case !g.notReal:
		return "REAL"
	}
	return "TEXT"
}

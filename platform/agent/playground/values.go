package playground

import (
	"strconv"
	"strings"
	"time"
)

// sqlType is the type that SQLite declares for a type's name in the simple
// language, or empty when the word is no type.
func sqlType(word string) string {
	switch strings.ToLower(word) {
	case "text", "string", "varchar", "char", "json", "str":
		return "TEXT"
	case "int", "integer", "bigint", "smallint", "whole":
		return "INTEGER"
	case "number", "numeric", "decimal", "money":
		return "NUMERIC"
	case "real", "float", "double":
		return "REAL"
	case "date":
		return "DATE"
	case "datetime", "timestamp":
		return "DATETIME"
	case "time":
		return "TIME"
	case "bool", "boolean", "yes", "yesno", "yes_no":
		return "BOOLEAN"
	case "blob", "bytes", "binary":
		return "BLOB"
	}
	return ""
}

// wholeNumber reports whether s is a decimal integer that SQLite keeps as one.
func wholeNumber(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}

// asNumber reports whether a value is a number, signed or not.
func (v value) asNumber() bool {
	return isNumber(strings.TrimLeft(v.text, "+-")) && len(v.text)-len(strings.TrimLeft(v.text, "+-")) <= 1
}

// literal writes a value for a column. A value that does not fit the column's
// type is an error, or with lax the text as it is.
func (v value) literal(c *column, lax bool) (string, error) {
	if v.kind == nullValue {
		return "NULL", nil
	}
	misfit := func(takes string) (string, error) {
		if lax {
			return quoteText(v.text), nil
		}
		return "", plainErrorf("The column %s takes %s, and %q is none.", c.name, takes, excerpt(v.text))
	}
	word := strings.ToLower(v.text)
	switch strings.ToUpper(c.typ) {
	case "BOOLEAN", "BOOL":
		switch word {
		case "yes", "y", "true", "on", "1":
			return "1", nil
		case "no", "n", "false", "off", "0":
			return "0", nil
		}
		return misfit("yes or no")
	case "INTEGER", "INT", "BIGINT", "SMALLINT":
		if wholeNumber(v.text) {
			return strings.TrimPrefix(v.text, "+"), nil
		}
		return misfit("a whole number")
	case "REAL", "FLOAT", "DOUBLE", "NUMERIC", "DECIMAL":
		if v.asNumber() {
			return strings.TrimPrefix(v.text, "+"), nil
		}
		return misfit("a number")
	case "DATE":
		if word == "today" {
			return "date('now', 'localtime')", nil
		}
		if parsesAs(v.text, time.DateOnly) {
			return quoteText(v.text), nil
		}
		return misfit("a date such as 2024-12-31")
	case "DATETIME", "TIMESTAMP":
		if word == "now" {
			return "datetime('now', 'localtime')", nil
		}
		if parsesAs(v.text, time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339) {
			return quoteText(v.text), nil
		}
		return misfit(`a date and a time such as "2024-12-31 18:30"`)
	case "TIME":
		if parsesAs(v.text, time.TimeOnly, "15:04") {
			return quoteText(v.text), nil
		}
		return misfit("a time such as 18:30")
	case "", "ANY", "BLOB":
		if v.kind == numberValue {
			return v.text, nil
		}
	}
	return quoteText(v.text), nil
}

func parsesAs(s string, layouts ...string) bool {
	for _, l := range layouts {
		if _, err := time.Parse(l, s); err == nil {
			return true
		}
	}
	return false
}

// typeWords is a column's type as the simple language calls it.
func typeWords(typ string) string {
	switch strings.ToUpper(typ) {
	case "TEXT":
		return "text"
	case "INTEGER", "INT":
		return "int"
	case "NUMERIC":
		return "number"
	case "BOOLEAN":
		return "yes-no"
	case "":
		return "anything"
	}
	return strings.ToLower(typ)
}

package playground

import (
	"encoding/hex"
	"strings"
)

// quoteText writes a text value as an SQL literal. A text with a NUL character
// goes as bytes, because a NUL ends the SQL for SQLite.
func quoteText(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		return "CAST(x'" + hex.EncodeToString([]byte(s)) + "' AS TEXT)"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// quoteName writes a name for SQL: bare where SQLite reads it back as the same
// name, else in double quotes.
func quoteName(s string) string {
	bare := s != "" && !sqlKeyword(s)
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || !isDigit(r)) {
			bare = false
		}
	}
	if bare {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// quoteNames writes a list of names.
func quoteNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoteName(n)
	}
	return strings.Join(out, ", ")
}

// keywords are SQLite's (https://www.sqlite.org/lang_keywords.html).
const keywords = " " +
	"ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT " +
	"BEFORE BEGIN BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT " +
	"CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE " +
	"DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE " +
	"EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM " +
	"FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED " +
	"INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE " +
	"LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR " +
	"ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE " +
	"RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT " +
	"ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION " +
	"TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE " +
	"WINDOW WITH WITHOUT TRUE FALSE ROWID "

func sqlKeyword(s string) bool {
	return !strings.Contains(s, " ") && strings.Contains(keywords, " "+strings.ToUpper(s)+" ")
}

// excerpt is the start of a text, for an error message.
func excerpt(s string) string {
	const most = 24
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

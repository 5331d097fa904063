package text

import "strings"

// Clean cleans a whole text as a Cleaner does.
func Clean(s string) string {
	var c Cleaner
	return c.clean(s, true)
}

// CleanLine cleans a text that must stay on one line, such as a title or a
// name: LF becomes ␊.
func CleanLine(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", string(feedPic))
}

// Hidden counts the characters of a raw text that a reader does not see or a
// program could obey: those that Clean gives a picture or a token, and the marks
// that a full cluster has no room for (CPY 4, T65). Bytes that are not UTF-8 are not counted.
func Hidden(raw string) int {
	const piece = 64 << 10 // bounds the text that is made only to be counted
	var c Cleaner
	for len(raw) > piece {
		c.clean(raw[:piece], false)
		raw = raw[piece:]
	}
	c.clean(raw, true)
	return c.hidden
}

package record

import "strings"

// Widen makes one character of each byte of a text, and Narrow makes the bytes of
// them again: JSON cannot hold what is no UTF-8, and nothing may be lost.
func Widen(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// Narrow is the text that was widened.
func Narrow(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

package dialog

import (
	"net/url"
	"strings"

	"copydesk/core/text"
)

// isAddress reports whether a value is one address and nothing else.
func isAddress(s string) bool {
	scheme, rest, found := strings.Cut(s, "://")
	if !found || rest == "" || strings.ContainsAny(s, " \n\t") {
		return false
	}
	for i, r := range scheme {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return scheme != ""
}

// paintAddress marks the host of an address, which is what says where it leads
// (T31). An address that is not well formed, or whose host is not in plain
// letters, is doubtful as a whole; one that puts a name before the host is
// doubtful up to there.
func paintAddress(lines []string) [][]text.Span {
	spans := make([][]text.Span, len(lines))
	for i, l := range lines {
		spans[i] = whole(l, text.Warning)
		u, err := url.Parse(l)
		if err != nil || u.Host == "" || strings.ContainsFunc(u.Host, func(r rune) bool { return !strings.ContainsRune(hostCharacters, r) }) {
			continue
		}
		from, before := strings.Index(l, "://")+len("://"), text.Plain
		if u.User != nil {
			from, before = from+strings.LastIndex(beforePath(l[from:]), "@")+1, text.Warning
		}
		if !strings.HasPrefix(l[from:], u.Host) {
			continue // written otherwise than it is read
		}
		spans[i] = []text.Span{
			{Len: from, Style: before},
			{Len: len(u.Host), Style: text.Info | text.Bold | text.Underline},
			{Len: len(l) - from - len(u.Host), Style: text.Plain},
		}
	}
	return spans
}

// hostCharacters are those of a host and its port, and of an IPv6 address.
const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"

func beforePath(s string) string {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i]
	}
	return s
}

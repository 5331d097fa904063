package dialog

import (
	"strings"
	"testing"

	"copydesk/core/text"
)

// TestT31_NothingCanBeClicked: addresses in what an agent says are text, and a
// field's address is shown whole with the host that it leads to marked.
func TestT31_NothingCanBeClicked(t *testing.T) {
	for _, k := range kindScreens() {
		q := *k.q
		q.Claim = "See https://bank.example and [https://bank.example](https://evil.example/a) \x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\"
		s := newStage(t, &q, 80, 24).open()
		columns, rows := s.screen.Size()
		for y := range rows {
			for x := range columns {
				if _, st, _ := s.screen.Get(x, y); st != st.Url("") {
					t.Fatalf("%s: a link at %d, %d", k.name, x, y)
				}
			}
		}
	}
}

func TestT31_TheHostIsMarked(t *testing.T) {
	marked := text.Info | text.Bold | text.Underline
	for address, want := range map[string]string{
		"https://evil.example/a?next=https://bank.example/": "evil.example",
		"https://bank.example@evil.example/":                "evil.example",
		"https://bank.example:pass@evil.example:8443/x@y":   "evil.example:8443",
		"HTTPS://EVIL.example":                              "EVIL.example",
		`https://evil.example\@bank.example/`:               "",
		"https://%65vil.example/":                           "",
		"https:///path":                                     "",
		"https://bаnk.example/":                             "", // a Cyrillic letter
		"https://ev\u202eil.example/":                       "",
	} {
		lines := newRevealer(false).lines(address, text.Plain, paintAddress)
		if !isAddress(address) || len(lines) != 1 {
			t.Errorf("%q is no address", address)
			continue
		}
		got, at, warned := "", 0, false
		for _, sp := range lines[0].Spans {
			if sp.Style == marked {
				got += lines[0].Text[at : at+sp.Len]
			}
			warned = warned || sp.Style == text.Warning
			at += sp.Len
		}
		if got != want || want == "" && !warned {
			t.Errorf("%q: marked %q, want %q; warned %v", address, got, want, warned)
		}
	}
	for _, s := range []string{"", "a command https://x", "://x", "1s://x", "https://", "a b://c", "https://a\nhttps://b"} {
		if isAddress(s) {
			t.Errorf("%q is taken for an address", s)
		}
	}
	s := newStage(t, address(), 40, 24)
	shown := strings.NewReplacer("│", "", " ", "", "\n", "").Replace(strings.Join(rowsOf(s.screen), "\n"))
	if !strings.Contains(shown, "https://bank.example@login.evil.example:8443/a/very/long/path?next=https://bank.example/") {
		t.Errorf("the address is not shown whole:\n%s", shown)
	}
}

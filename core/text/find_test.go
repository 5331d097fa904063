package text

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestPAN5_WhatIsFoundIsThere compares the search with looking at every place.
func TestPAN5_WhatIsFoundIsThere(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAbBkKsSéÉ日 \u212a\u017f"))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(letters, 0, 24).Draw(t, "text"))
		words := string(rapid.SliceOfN(letters, 1, 3).Draw(t, "words"))
		p := NewPattern(words)
		fold := !strings.ContainsFunc(words, unicode.IsUpper)
		var want []Row
		for at := 0; at < len(s); {
			end, ok := at, false
			if fold {
				var n int
				n, ok = prefixFold(s[at:], words)
				end = at + n
			} else {
				ok = strings.HasPrefix(s[at:], words)
				end = at + len(words)
			}
			if ok {
				want = append(want, Row{Start: at, End: end})
				at = end
				continue
			}
			_, size := []rune(s[at:])[0], len(string([]rune(s[at:])[0]))
			at += size
		}
		got := p.All(s, 100)
		if len(got) != len(want) {
			t.Fatalf("%q in %q: %v, want %v", words, s, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q in %q: %v, want %v", words, s, got, want)
			}
		}
	})
}

func TestPAN5_CaseCountsWhereACapitalIsTyped(t *testing.T) {
	for words, want := range map[string]int{"go": 3, "Go": 1, "GO": 1, "g": 4, "é": 2, "É": 1, "zz": 0, "": 0, "日本": 1} {
		if got := len(NewPattern(words).All("go Go GO gé É 日本", 10)); got != want {
			t.Errorf("%q is found %d times, want %d", words, got, want)
		}
	}
	if got := len(NewPattern("a").All("aaaa", 2)); got != 2 {
		t.Errorf("%d are found, two were wanted", got)
	}
}

func BenchmarkFind(b *testing.B) {
	s := strings.Repeat("the quick brown fox jumps over the lazy dog, and then some more of it. ", 1<<14)
	for _, words := range []string{"zebra", "Zebra", "lazy cat"} {
		b.Run(words, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			p := NewPattern(words)
			for b.Loop() {
				p.All(s, 1000)
			}
		})
	}
}

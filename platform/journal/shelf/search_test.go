package shelf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// brief is a hit in short.
func brief(all []record.Hit) (out []string) {
	for _, h := range all {
		out = append(out, fmt.Sprintf("%d %s: %s %v", h.Seq, h.Who, h.Text, h.Where))
	}
	return out
}

func same(t *testing.T, got []record.Hit, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, brief(got)); diff != "" {
		t.Error(diff)
	}
}

func TestSES3_SearchFindsAllThatWasSaid(t *testing.T) {
	dir := t.TempDir()
	call := func(c session.ToolCall) record.Entry { return record.Said{Event: c} }
	request := &session.Request{Kind: session.Approval, Prompt: "May I needle?", Choices: []string{"yes", "no"}, Fields: []session.Field{{Name: "SQL", Value: "delete needle"}}}
	put(t, dir, 1,
		record.Prompt{Text: "Where is\nthe NEEDLE?"}, // 2
		thought("a nee"), thought("dle?"), // 3
		said("Look:\r\na nee"), said("d"), said("le\r\nmore"), // 5
		record.Said{Event: session.Break{}}, // 8
		said("needle"),                      // 9
		call(session.ToolCall{ID: "1", Title: "find needle", Chunk: "out nee"}),                  // 10
		call(session.ToolCall{ID: "2", Chunk: "needle 2\n"}),                                     // 11
		call(session.ToolCall{ID: "1", Chunk: "dle\n"}),                                          // 12
		call(session.ToolCall{ID: "1", Parts: []session.Part{{Name: "needle.go:1", Kind: 3}}}),   // 13
		record.Said{Event: session.Notice{Text: "no needle", Error: true}},                       // 14
		record.Said{Event: session.Plan{Steps: []session.PlanStep{{Text: "thread the needle"}}}}, // 15
		record.Said{Event: session.Block{Lines: []text.Line{{Text: "│ needle │"}}}},              // 16
		record.Asked{ID: "r", Request: request},                                                  // 17
		record.Decided{ID: "r", Said: "Rejected the needle."},                                    // 18
		record.Note{Text: "Copied the needle."}, record.Note{Text: "needle lost", Failed: true},  // 19
		record.Painted{Source: "**needle**"},                                        // 21
		record.Switched{Seat: record.Seat{Agent: "oth\x1ber"}, Said: "Now needle."}, // 22
		said("late needle"), record.Said{Event: session.Text{Chunk: "x needle"}, From: record.From{Left: 1}}, // 23
		record.Ended{Outcome: session.Broken, Failure: "the needle broke"},                                     // 25
		record.Said{Event: session.Prompt{Chunk: "old nee"}}, record.Said{Event: session.Prompt{Chunk: "dle"}}, // 26
	)
	got := find(t, shelve(dir), "needle")
	same(t, got,
		"2 you: the NEEDLE? [[4 10]]",
		"3 thought: a needle? [[2 8]]",
		"5 simple: a needle [[2 8]]",
		"9 simple: needle [[0 6]]",
		"10 tool: find needle [[5 11]]",
		"11 tool: needle 2 [[0 6]]",
		"10 tool: out needle [[4 10]]",
		"10 tool: needle.go:1 [[0 6]]",
		"14 error: no needle [[3 9]]",
		"15 plan: thread the needle [[11 17]]",
		"16 simple: │ needle │ [[4 10]]",
		"17 request: May I needle? [[6 12]]",
		"17 request: delete needle [[7 13]]",
		"18 decision: Rejected the needle. [[13 19]]",
		"19 note: Copied the needle. [[11 17]]",
		"20 error: needle lost [[0 6]]",
		"21 note: **needle** [[2 8]]",
		"22 note: Now needle. [[4 10]]",
		"23 oth␛er: late needle [[5 11]]",
		"24 simple: x needle [[2 8]]",
		"25 error: the needle broke [[4 10]]",
		"26 you: old needle [[4 10]]",
	)
	if got[0].ID != idAt(1) || got[0].Title != "Where is" || got[0].Agent != "oth\x1ber" {
		t.Errorf("%+v", got[0].Summary)
	}
}

func TestSES3_WordsOfALineOrElseOfATurn(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1,
		record.Prompt{Text: "alpha only"}, said("x beta x\nalpha and beta gamma"), // a line
		record.Prompt{Text: "alpha alone"}, said("then beta and Gamma\nbeta"), // a turn
		record.Prompt{Text: "alpha beta"}, record.Prompt{Text: "gamma"}, // neither
	)
	same(t, find(t, shelve(dir), "Alpha beta GAMMA"),
		"3 simple: alpha and beta gamma [[0 5] [10 14] [15 20]]",
		"5 simple: then beta and Gamma [[5 9] [14 19]]")
	same(t, find(t, shelve(dir), `"and beta"`), "3 simple: alpha and beta gamma [[6 14]]")
	same(t, find(t, shelve(dir), `"beta  and"`))
	same(t, find(t, shelve(dir), " \t \"\""))
	same(t, find(t, shelve(dir), `"and gamma`), "5 simple: then beta and Gamma [[10 19]]")
}

func TestSES3_CaseIsFoldedAsUnicodeDoes(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, record.Prompt{Text: "GRÖSSE Größe"}, said("300 \u212aelvin, di\u017f"), said("\u212a"))
	put(t, dir, 2, record.Prompt{Text: "a \xff di\u017fk"})
	put(t, dir, 3, said("ΣΊΣΥΦΟΣ σίσυφος"))
	s := shelve(dir)
	same(t, find(t, s, "größe"), "2 you: GRÖSSE Größe [[8 15]]")
	same(t, find(t, s, "kelvin"), "3 simple: 300 \u212aelvin, di\u017f\u212a [[4 12]]")
	same(t, find(t, s, "DISK"), "2 you: a \ufffd di\u017fk [[6 11]]", "3 simple: 300 \u212aelvin, di\u017f\u212a [[14 21]]")
	same(t, find(t, s, "σίσυφοσ"), "2 simple: ΣΊΣΥΦΟΣ σίσυφος [[0 14] [15 29]]")
}

// TestSES3_WhatCleaningShowsIsFound searches what only the shown text has.
func TestSES3_WhatCleaningShowsIsFound(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, said("a\u202eb\x1b[0m e"+strings.Repeat("\u0301", 20)))
	for _, words := range []string{"202e", "u", "marks", "<U+202E>", "mark", "␛[0m"} {
		if got := find(t, shelve(dir), words); len(got) != 1 || strings.ContainsAny(got[0].Text, "\x1b\u202e") {
			t.Errorf("%q: %v", words, brief(got))
		}
	}
}

func TestSES3_AToolThatRepeatsItselfIsOneHit(t *testing.T) {
	dir := t.TempDir()
	shows := func(id, text string) record.Entry {
		return record.Said{Event: session.ToolCall{ID: id, Title: "run it", Parts: []session.Part{{Text: text}}}}
	}
	put(t, dir, 1, shows("1", "run a\nrun"), shows("1", "run a\nrun b\n"), shows("2", "run a\n"))
	same(t, find(t, shelve(dir), "run"),
		"2 tool: run it [[0 3]]", "2 tool: run a [[0 3]]", "2 tool: run b [[0 3]]",
		"4 tool: run it [[0 3]]", "4 tool: run a [[0 3]]")
}

func TestSES3_NewestSessionFirstAndFiftyOfEach(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, record.Prompt{Text: "needle"})
	put(t, dir, 2, said(strings.Repeat("needle\n", 2*mostHits)))
	put(t, dir, 3, record.Prompt{Text: "no"})
	got := find(t, shelve(dir), "needle")
	if len(got) != mostHits+1 || got[0].ID != idAt(2) || got[mostHits-1].ID != idAt(2) || got[mostHits].ID != idAt(1) {
		t.Errorf("%d hits", len(got))
	}
	for range shelve(dir).Search(context.Background(), "needle") {
		break
	}
}

// TestSES3_ALongLineIsSearched holds that a word is found wherever it is in a line
// without an end, cut however.
func TestSES3_ALongLineIsSearched(t *testing.T) {
	dir := t.TempDir()
	for n, offset := range []int{0, pieceBytes - 8, pieceBytes - 3, pieceBytes, 3*pieceBytes - 5, 1 << 20} {
		line := strings.Repeat("ü", offset/2) + "needleß" + strings.Repeat("ü", pieceBytes)
		var entries []record.Entry
		for line != "" {
			cut := min(len(line), 10_007)
			entries = append(entries, said(line[:cut]))
			line = line[cut:]
		}
		put(t, dir, n, entries...)
		got := find(t, shelve(dir), "NEEDLEß")
		if len(got) == 0 || got[0].ID != idAt(n) {
			t.Fatalf("at %d: not found", offset)
		}
		for _, h := range got {
			if len(h.Text) > 2*pieceBytes || strings.Contains(h.Text, "\ufffd") {
				t.Errorf("at %d: a text of %d bytes, damaged %v", offset, len(h.Text), strings.Contains(h.Text, "\ufffd"))
			}
		}
	}
}

func TestSES3_SearchEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		put(t, dir, n, record.Prompt{Text: "needle"})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for h, err := range shelve(dir).Search(ctx, "needle") {
		switch n++; n {
		case 1:
			cancel()
		case 2:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel came %+v, %v", h, err)
			}
		default:
			t.Fatal("the search goes on")
		}
	}
}

func TestD8_SearchPassesOverWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	b := lines(1, header(1), said("needle 1"), record.Note{Text: "needle 2"}, record.Note{Text: "needle 3"})
	b[len(lines(1, header(1)))+60] ^= 1
	store(t, dir, idAt(1)+suffix, 1, b)
	store(t, dir, idAt(2)+suffix, 2, []byte("needle"))
	foreign := lines(1, header(9), record.Note{Text: "needle of another"})
	store(t, dir, idAt(3)+suffix, 3, foreign)
	same(t, find(t, shelve(dir), "needle"), "3 note: needle 2 [[0 6]]", "4 note: needle 3 [[0 6]]")
}

// TestSES3_TheSieveLosesNothing searches sessions of few letters, cut anywhere,
// with it and without it.
func TestSES3_TheSieveLosesNothing(t *testing.T) {
	letters := []string{"a", "n", "N", "k", "K", "\u212a", "s", "\u017f", "\xe2\x84", "\xaa", "\xc5", "\xbf", "g", "1", " ", "\n", `"`, `\`, "ü", "\xff", "\u202e", "\x00", "\u0301", "<", "u", "\r"}
	chunk := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 5), func(s []string) string { return strings.Join(s, "") })
	entry := rapid.Custom(func(t *rapid.T) record.Entry {
		c := chunk.Draw(t, "chunk")
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			return record.Prompt{Text: c}
		case 1:
			return thought(c)
		case 2:
			return record.Said{Event: session.ToolCall{ID: "1", Title: c, Parts: []session.Part{{Text: chunk.Draw(t, "text")}}, Chunk: chunk.Draw(t, "more")}}
		case 3:
			return record.Said{Event: session.ToolCall{ID: "1", Chunk: c}}
		case 4:
			return record.Said{Event: session.Prompt{Chunk: c}}
		case 5:
			return record.Note{Text: c}
		}
		return said(c)
	})
	word := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(letters), 1, 5), func(s []string) string { return strings.Join(s, "") })
	dir := t.TempDir()
	found, held := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(entry, 1, 12).Draw(t, "entries")
		words := strings.Join(rapid.SliceOfN(word, 1, 2).Draw(t, "words"), " ")
		path := filepath.Join(dir, idAt(1)+suffix)
		if err := os.WriteFile(path, lines(1, append([]record.Entry{header(1)}, entries...)...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, q := shelve(dir), Parse(words)
		var want, got []record.Hit
		for h := range s.search(context.Background(), q, false) {
			want = append(want, h)
		}
		for h := range s.search(context.Background(), q, true) {
			got = append(got, h)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: %s", words, diff)
		}
		if len(want) > 0 {
			found++
		} else if !newSieve(q).passes(context.Background(), s, &stored{id: idAt(1), segments: []int{1}}) {
			held++
		}
		for _, h := range want {
			check(t, q, h)
		}
	})
	if found == 0 || held == 0 {
		t.Errorf("%d queries found something, %d sessions were held back: this says nothing", found, held)
	}
}

// check holds that the places of a hit are its words.
func check(t interface{ Fatalf(string, ...any) }, q Query, h record.Hit) {
	at := 0
	for _, r := range h.Where {
		if r[0] < at || r[1] <= r[0] || r[1] > len(h.Text) {
			t.Fatalf("%v of %q", h.Where, h.Text)
		}
		at = r[1]
		if !slices.ContainsFunc(q.Words(), func(w string) bool { return folded(w) == folded(h.Text[r[0]:r[1]]) }) {
			t.Fatalf("%q is none of %q", h.Text[r[0]:r[1]], q.Words())
		}
	}
	if len(h.Where) == 0 {
		t.Fatalf("%q has no words", h.Text)
	}
	if text.Clean(h.Text) != h.Text || strings.Contains(h.Text, "\n") {
		t.Fatalf("%q is not a clean line", h.Text)
	}
}

// folded is a second way to fold: the greatest character of those that differ in
// case alone.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		most := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			most = max(most, f)
		}
		return most
	}, s)
}

// TestSES3_TheSieveSeesAcrossWindows puts a word at the borders of what is looked
// at together, whole and cut into records.
func TestSES3_TheSieveSeesAcrossWindows(t *testing.T) {
	dir := t.TempDir()
	s, q := shelve(dir), Parse("xylophone")
	filler := lines(2, said(strings.Repeat("-", 5000)))
	for _, cut := range [][]record.Entry{{said("a xylophone")}, {said("xylo"), said("phone")}, {said("a xy"), said("lopho"), said("ne")}} {
		pieces := lines(3, cut...)
		for before := window - len(pieces) - 20; before < window+20; before += 7 {
			b := make([]byte, 0, window+100_000)
			for len(b)+len(filler)+200 < before {
				b = append(b, filler...)
			}
			rest := before - len(b)
			b = append(b, lines(2, said(strings.Repeat("-", rest-len(lines(2, said(""))))))...)
			b = append(append(b, pieces...), filler...)
			store(t, dir, idAt(1)+suffix, 1, b)
			if !newSieve(q).passes(context.Background(), s, &stored{id: idAt(1), segments: []int{1}}) {
				t.Fatalf("%d records at %d are lost", len(cut), before)
			}
		}
	}
	store(t, dir, idAt(1)+suffix, 1, lines(1, said("xyl"), said("phone"), said("xylophon"), said("e"), said("xylo"), said("hone")))
	if !newSieve(q).passes(context.Background(), s, &stored{id: idAt(1), segments: []int{1}}) {
		t.Error("a word of two records is lost")
	}
	store(t, dir, idAt(1)+suffix, 1, lines(1, said("xylop"), said("one"), said("o phone")))
	if newSieve(q).passes(context.Background(), s, &stored{id: idAt(1), segments: []int{1}}) {
		t.Error("what cannot have it passes")
	}
}

func TestD8_WordsInBlobsAndSegmentsAreFound(t *testing.T) {
	dir := t.TempDir()
	object, err := record.Encode(record.Note{Text: "a needle in a blob"})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha(object)
	line := lines(2, record.Note{})
	line = sealed(append(line[:len(line)-1-sumLength-len(`,"text":""`)], fmt.Sprintf(`,"blob":"%s","size":%d`, sum, len(object))...))
	store(t, dir, idAt(1)+suffix, 1, append(lines(1, header(1)), line...))
	store(t, dir, filepath.Join(idAt(1)+blobs, sum), 1, object)
	store(t, dir, idAt(1)+".0002.jsonl", 1, lines(3, record.Note{Text: "a needle in a segment"}))
	same(t, find(t, shelve(dir), "needle"), "2 note: a needle in a blob [[2 8]]", "3 note: a needle in a segment [[2 8]]")
}

func FuzzQuery(f *testing.F) {
	f.Add(`two words`, "two Words")
	f.Add(`"a phrase" and "`, "")
	f.Add("\u212a \u017f \xff \u202e", "K s \ufffd")
	f.Add(strings.Repeat("é ", 600), "É")
	f.Fuzz(func(t *testing.T, query, line string) {
		q := Parse(query)
		if len(q.words) > mostWords || q.Empty() != (len(q.Words()) == 0) {
			t.Fatalf("%d words", len(q.words))
		}
		for _, w := range q.words {
			if strings.TrimSpace(w.text) == "" || len(w.needle.text) > mostNeedle {
				t.Fatalf("%q", w.text)
			}
			if where, _ := q.Find(w.text); len(where) == 0 {
				t.Fatalf("%q is not in itself", w.text)
			}
		}
		found, clean := q.in([]byte(line))
		if clean == "" {
			clean = text.Clean(line)
		}
		where, all := q.Find(clean)
		if all != (found == q.all() && !q.Empty()) {
			t.Fatalf("%q in %q: %b, %v", query, line, found, all)
		}
		if len(where) > 0 {
			check(t, q, record.Hit{Text: strings.ReplaceAll(clean, "\n", " "), Where: where})
		}
	})
}

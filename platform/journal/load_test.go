package journal

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"
	styled "copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const fixtureID = "20261121-062316-k3f9q2"

// everything has an entry of every kind.
func everything() []record.Entry {
	ask := &session.Request{
		Kind: session.Choice, Prompt: "Run it?", From: "fake", Choices: []string{"Allow once", "Reject"}, Means: []session.Means{session.AllowOnce, session.RejectOnce},
		Fields: []session.Field{{Name: "command", Value: "rm -r x", Lang: "sh", Warn: true}}, Claim: "tidy up", TakesReason: true,
	}
	lowest := 1.5
	form := &session.Request{Kind: session.Form, Prompt: "Fill in", Inputs: []session.Input{{Kind: session.Number, Name: "n", Min: &lowest, Required: true, Default: []string{"2"}}}}
	said := func(e session.Event) record.Entry { return record.Said{Event: e} }
	return []record.Entry{
		note("before the prompt"), record.Painted{Source: "# About\n\nMarkdown.\n"},
		record.Prompt{Text: "What is é, \"quoted\" and\nlong?", Tag: "fake", Agent: "fake"},
		said(session.Thought{Chunk: "hm"}), said(session.Text{Chunk: "an answer <b>&</b> \x1b[1m\u2028"}), said(session.Text{Chunk: "not UTF-8: \xff\xfe"}), said(session.Break{}),
		said(session.ToolCall{ID: "t1", Title: "ls", Kind: "execute", Status: session.Running, Parts: []session.Part{{Kind: session.InputPart, Name: "in", Lang: "sh", Text: "ls"}}}),
		said(session.ToolCall{ID: "t1", Chunk: "file\n"}), said(session.ToolCall{ID: "t1", Status: session.Done, Parts: []session.Part{}}),
		said(session.Plan{Steps: []session.PlanStep{{Text: "one", Status: session.Done}, {Text: "two"}}}),
		said(session.Block{Kind: session.TableBlock, Lines: []styled.Line{{Text: "a b", Spans: []styled.Span{{Len: 1, Style: styled.Header | styled.Bold}}}}, Source: "| a |\n"}),
		said(session.Notice{Text: "careful", Error: true}), said(session.Usage{Used: 10, Limit: 200, Cost: "0.12 USD"}),
		record.Asked{ID: "r1", Digest: "d1", Request: ask}, record.Reopened{Old: "r1", Asked: record.Asked{ID: "r2", Digest: "d2", Request: form}},
		record.Decided{ID: "r2", Digest: "d2", Answer: session.Answer{Verdict: session.Filled, Values: [][]string{{"3"}, {}}}, Said: "filled in"},
		record.Withdrawn{ID: "r3"}, record.Ended{Outcome: session.Outcome(1), Failure: "it failed"},
		record.Said{Event: session.Text{Chunk: "late"}, From: record.From{Aside: true, Left: 1}},
		record.Switched{Seat: record.Seat{Agent: "other", Title: "Other", Hint: "h", Loose: true, Dir: "/work"}, Said: "now another"},
		record.Ref{Ref: "sess-1"}, record.Loading{}, said(session.Prompt{Chunk: "from before"}), said(session.Loaded{Title: "Before"}), record.Loading{Over: true},
		record.Dropped{Bytes: 12345}, record.Painted{Source: strings.Repeat("a blob ", 200)}, record.Note{Text: "it went wrong", Failed: true},
	}
}

// TestC10_TheFirstFormat reads a session as the first release has written it.
// Its files are never made anew for the same version: with -update a new format
// begins.
func TestC10_TheFirstFormat(t *testing.T) {
	dir := filepath.Join("testdata", "v1")
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, dir, nil)
		r.segment, r.blob = 2<<10, 1<<10
		j := r.Create(seat)
		j.id = fixtureID
		j.queue[0].entry = j.named()
		for _, e := range everything() {
			j.Append(e)
			r.clock.pass(time.Second) // nothing is joined
		}
		r.close(j)
	}
	r := newRig(t, dir, nil)
	records, skipped := r.read(fixtureID)
	want := append([]record.Entry{record.Header{ID: fixtureID, Program: "1.0", Seat: seat}, record.Opened{PID: 42, Host: "here", Program: "1.0"}}, everything()...)
	if diff := cmp.Diff(want, entries(records)); diff != "" {
		t.Error(diff)
	}
	if skipped != (record.Skipped{}) {
		t.Errorf("skipped %+v", skipped)
	}
	at := time.Date(2026, 11, 21, 6, 23, 16, 0, time.UTC)
	for i, rec := range records {
		if want := at.Add(time.Duration(max(0, i-2)) * time.Second); !rec.Time.Equal(want) || rec.Seq != uint64(i+1) {
			t.Errorf("record %d has number %d and time %s, not %s", i, rec.Seq, rec.Time, want)
		}
	}
	kinds := map[record.Kind]bool{}
	for _, e := range want {
		kinds[e.Kind()] = true
	}
	if len(kinds) != 24 {
		t.Errorf("%d kinds of 24", len(kinds))
	}
	files := must(os.ReadDir(dir))
	if len(files) != 3 { // two segments and the folder of blobs
		t.Errorf("%v", files)
	}
}

// TestC10_WhatIsWrittenNow holds that the format has not changed unnoticed.
func TestC10_WhatIsWrittenNow(t *testing.T) {
	got := string(encodeLine(place{7, time.Date(2026, 11, 21, 7, 23, 16, 5e6, time.FixedZone("x", 3600))}, "note", []byte(`{"text":"hi"}`)))
	const body = `{"v":1,"seq":7,"t":"2026-11-21T06:23:16.005Z","k":"note","text":"hi"`
	if want := fmt.Sprintf("%s,\"c\":\"%08x\"}\n", body, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli))); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// TestSES3_PlainTextIsTheSame holds the fast way of reading text to that of
// core/record.
func TestSES3_PlainTextIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunk := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.SampledFrom([]byte("ab\n\t\\\"\x00\x1f/\r\b\f\x7f\xc3\xa9\xff<&\xe2\x80\xa8"))), func(b []byte) string { return string(b) })).Draw(t, "chunk")
		for _, e := range []record.Said{{Event: session.Text{Chunk: chunk}}, {Event: session.Thought{Chunk: chunk}}, {Event: session.Text{Chunk: chunk}, From: record.From{Aside: true}}} {
			object := must(record.Encode(e))
			if got, ok := plain(e.Kind(), object); ok && got != record.Entry(e) {
				t.Fatalf("%q came back as %#v", chunk, got)
			}
			want, err := record.Decode(e.Kind(), object)
			if err != nil || want != record.Entry(e) {
				t.Fatalf("%v, %v", want, err)
			}
		}
	})
	for _, bad := range []string{`{"text":"a","text":"b"}`, `{"text":"a\u0041"}`, "{\"text\":\"\x01\"}", `{"text":"a\x"}`, `{"text":"a\"}`, `{"text":""b"}`, "{\"text\":\"\xff\"}"} {
		if got, ok := plain(record.KindText, []byte(bad)); ok {
			t.Errorf("%s was read as %#v", bad, got)
		}
	}
}

var lineForm = regexp.MustCompile(`^\{"v":1,"seq":([0-9]{1,19}),"t":"[^"]*","k":"([^"]*)"(,.*)?,"c":"[0-9a-f]{8}"\}$`)

// signed gives every line that looks like one the right checksum.
func signed(content []byte) []byte {
	lines := bytes.Split(content, []byte{'\n'})
	for i, l := range lines {
		if lineForm.Match(l) {
			lines[i] = seal(slices.Clone(l[:len(l)-crcTail]))
		}
	}
	return bytes.Join(lines, []byte{'\n'})
}

// expected is what a simple reader finds in a file: the records with a right
// checksum in the order of their numbers, the first of each.
func expected(content []byte) map[uint64]string {
	out := map[uint64]string{}
	for _, l := range bytes.Split(content, []byte{'\n'}) {
		l = bytes.TrimSuffix(l, []byte{'\r'})
		m := lineForm.FindSubmatch(l)
		if m == nil || !bytes.Equal(seal(slices.Clone(l[:len(l)-crcTail])), l) {
			continue
		}
		seq, err := strconv.ParseUint(string(m[1]), 10, 64)
		e, err2 := record.Decode(record.Kind(m[2]), l)
		if err != nil || seq == 0 || seq > maxSeq || out[seq] != "" {
			continue
		}
		out[seq] = "-" // it cannot be read, and no later one can replace it
		if err2 == nil {
			out[seq] = told(e) + string(e.Kind())
		}
	}
	return out
}

// FuzzLoad holds that records with a right checksum come out as they went in,
// whatever is around them (C8), and that going on loses none of them.
func FuzzLoad(f *testing.F) {
	id := fixtureID
	whole := must(os.ReadFile(filepath.Join("testdata", "v1", segmentName(id, 1))))
	f.Add(whole, true)
	f.Add(whole[:len(whole)-7], false)
	f.Add(bytes.ReplaceAll(whole, []byte("}\n{"), []byte("}{")), false)
	f.Add(append(make([]byte, 99), whole...), true)
	f.Add(append([]byte("{\"v\":2,\"c\":\"00000000\"}\n"), whole...), true)
	f.Add([]byte(`{"v":1,"seq":3,"t":"","k":"note","blob":"`+strings.Repeat("a", 64)+`","size":9,"c":"00000000"}`), true)
	f.Fuzz(func(t *testing.T, content []byte, sign bool) {
		if sign {
			content = signed(content)
		}
		r, _ := with(t, id, slices.Clone(content))
		want := expected(content)
		seq, skipped := r.Read(context.Background(), id)
		got, last := map[uint64]bool{}, uint64(0)
		for rec, err := range seq {
			if err != nil {
				return // it is another session's
			}
			if rec.Seq <= last {
				t.Fatalf("%d after %d", rec.Seq, last)
			}
			last = rec.Seq
			got[rec.Seq] = true
			if w := want[rec.Seq]; w != "" && w != "-" && w != told(rec.Entry)+string(rec.Entry.Kind()) && !strings.Contains(string(content), `"blob":`) && bytes.Count(content, []byte(fmt.Sprintf(`"seq":%d,`, rec.Seq))) == 1 {
				t.Fatalf("record %d is %q, not %q", rec.Seq, told(rec.Entry), w)
			}
		}
		for n, w := range want {
			if w != "-" && !got[n] && !strings.Contains(string(content), `"blob":`) && bytes.Count(content, []byte(fmt.Sprintf(`"seq":%d,`, n))) == 1 {
				t.Fatalf("record %d is missing: %q", n, w)
			}
		}
		if skipped().Records < 0 || skipped().Bytes < 0 || skipped().Bytes > int64(len(content)+skipped().Records) {
			t.Fatalf("skipped %+v of %d bytes", skipped(), len(content))
		}
		j, err := r.Open(id)
		if err != nil {
			return // newer
		}
		j.Append(note("on"))
		r.close(j)
		records, _ := r.read(id)
		again := map[uint64]bool{}
		for _, rec := range records {
			again[rec.Seq] = true
		}
		for n := range got {
			if !again[n] {
				t.Fatalf("record %d is lost by going on", n)
			}
		}
		if len(records) < len(got)+2 {
			t.Fatalf("%d records, and %d after going on", len(got), len(records))
		}
	})
}

package journal

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
)

// long is the file of a session with 40 prompts, and its records.
func long(t testing.TB) (id string, content []byte, all []record.Record) {
	d := newRAM(t)
	r := newRig(t, d)
	j := r.begin()
	for i := range 40 {
		j.Append(text(fmt.Sprintf("text %d é \x00 ", i)))
		j.Append(record.Prompt{Text: fmt.Sprintf("prompt %d", i)})
	}
	r.sync(j)
	all = records(t, j)
	r.close(j)
	return j.ID(), d.names[r.path(segmentName(j.ID(), 1))].data, all
}

// with is a store with a session whose only file has this content.
func with(t testing.TB, id string, content []byte) *rig {
	r := newRig(t, nil)
	r.disk = restored(t, map[string]string{"/state/sessions/" + id + ".jsonl": string(content)})
	r.o.Dir = "/state/sessions"
	return r
}

// goesOn opens a damaged session, checks that these records are there, appends
// one and opens it once more.
func goesOn(t *testing.T, r *rig, id string, want []record.Record) record.Skipped {
	t.Helper()
	j, err := r.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	got := records(t, j)
	if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" || got[len(got)-1].Entry.Kind() != record.KindOpened {
		t.Fatal(diff, kinds(got))
	}
	j.Append(record.Note{Text: "more"})
	r.sync(j)
	now := records(t, j)
	r.close(j)
	again, _ := r.stored(id)
	if diff := cmp.Diff(now, again); diff != "" || len(again) != len(want)+2 {
		t.Fatal(diff, len(again), len(want))
	}
	ordered(t, again)
	return j.Skipped()
}

// whole are the records whose lines are whole in a part of a file.
func whole(content []byte, all []record.Record) []record.Record {
	n := 0
	for line := range bytes.Lines(content) {
		if _, v := parse(bytes.TrimSuffix(line, []byte("\n"))); v == good {
			n++
		}
	}
	return all[:n]
}

func TestC2_R26_CutAtEveryByteOfTheLast4KiB(t *testing.T) {
	id, content, all := long(t)
	for n := max(0, len(content)-4096); n <= len(content); n++ {
		r := with(t, id, content[:n])
		want := whole(content[:n], all)
		skipped := goesOn(t, r, id, want)
		torn := n > 0 && content[n-1] != '\n' && (n == len(content) || content[n] != '\n')
		if aside := r.disk.(*ram).names["/state/sessions/"+id+".torn-1"]; (aside != nil) != torn || (skipped.Records == 1) != torn {
			t.Fatalf("cut at %d: set aside: %v, skipped %v", n, aside != nil, skipped)
		} else if torn && (!bytes.HasSuffix(content[:n], aside.data) || skipped.Bytes != int64(len(aside.data))) {
			t.Fatalf("cut at %d: %q was set aside", n, aside.data)
		}
	}
}

func TestC3_ZerosAtTheEndAndInside(t *testing.T) {
	id, content, all := long(t)
	for k := 1; k <= 4096; k += 1 + k/8 {
		for _, end := range []int{len(content), len(content) / 2} {
			from := max(end-k, 0)
			broken := bytes.Clone(content)
			clear(broken[from:end])
			var want []record.Record
			at, rest := 0, len(content)
			for i, line := range bytes.SplitAfter(content, []byte("\n")) {
				start := at
				if at += len(line); at > from && start < end || i >= len(all) {
					rest = min(rest, start)
					continue
				}
				want = append(want, all[i])
			}
			if end < len(content) && content[end-1] == '\n' {
				rest = 0 // what follows stands behind zeros
			}
			goesOn(t, with(t, id, broken), id, want)
		}
	}
}

// TestR24_Corpus has every kind of damage that was ever reported.
func TestR24_Corpus(t *testing.T) {
	id, content, all := long(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	lines = lines[:len(lines)-1]
	but := func(n ...int) []record.Record {
		var out []record.Record
		for i, r := range all {
			keep := true
			for _, k := range n {
				keep = keep && i != k
			}
			if keep {
				out = append(out, r)
			}
		}
		return out
	}
	with10 := func(line []byte) []byte {
		return bytes.Join([][]byte{bytes.Join(lines[:10], nil), line, bytes.Join(lines[11:], nil)}, nil)
	}
	for _, c := range []struct {
		name    string
		content []byte
		want    []record.Record
		skipped int
	}{
		{"a torn end", content[:len(content)-9], all[:len(all)-1], 1},
		{"zeros inside", with10(append(make([]byte, 500), '\n')), but(10), 1},
		{"zeros before a record", with10(append(make([]byte, 4096), lines[10]...)), all, 1},
		{"zeros at the end", append(bytes.Clone(content), make([]byte, 4096)...), all, 1},
		{"a bad line", with10([]byte("nonsense\n")), but(10), 1},
		{"half a record before a whole one", with10(append(bytes.Clone(lines[10][:20]), lines[10]...)), all, 1},
		{"bad UTF-8", with10(bytes.Replace(lines[10], []byte(`"text"`), []byte("\"t\xff\xfet\""), 1)), but(10), 1},
		{"a header that is missing", bytes.Join(lines[1:], nil), all[1:], 0},
		{"a header that is damaged", append([]byte("{\n"), bytes.Join(lines[1:], nil)...), all[1:], 1},
		{"a wrong checksum", with10(bytes.Replace(lines[10], []byte(`"seq":`), []byte(`"seq":1`), 1)), but(10), 1},
		{"the same record twice", with10(append(bytes.Clone(lines[10]), lines[10]...)), all, 0},
		{"the other way round", bytes.Join([][]byte{lines[0], bytes.Join(lines[40:], nil), bytes.Join(lines[1:40], nil)}, nil), all, 0},
		{"a kind that is not known", with10(appendLine(nil, 11, time.Time{}, "poem", []byte(`{}`))), but(10), 1},
		{"an entry that cannot be read", with10(appendLine(nil, 11, time.Time{}, "note", []byte(`{"text":7}`))), but(10), 0},
		{"a blob that is missing", with10(appendBlobLine(nil, 11, time.Time{}, "note", strings.Repeat("a", 64), 999)), but(10), 0},
		{"lines that end like those of Windows", bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n")), nil, len(all)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := with(t, id, c.content)
			read, skipped := r.stored(id)
			if c.name != "lines that end like those of Windows" {
				if diff := cmp.Diff(c.want, read); diff != "" {
					t.Fatal(diff)
				}
				if gone := len(all) - len(c.want); skipped.Records < gone-1 || skipped.Newer {
					t.Errorf("read without %v", skipped)
				}
				if got := goesOn(t, r, id, c.want); got.Records != c.skipped {
					t.Errorf("skipped %v", got)
				}
				return
			}
			if skipped.Records != c.skipped {
				t.Errorf("skipped %v", skipped)
			}
		})
	}
}

func TestR24_AnEmptyFileBecomesASession(t *testing.T) {
	id := newID(time.Now())
	r := with(t, id, nil)
	j := r.open(id)
	j.Append(record.Prompt{Text: "x"})
	r.sync(j)
	r.close(j)
	all, _ := r.stored(id)
	if diff := cmp.Diff([]string{"header", "opened", "prompt"}, kinds(all)); diff != "" || all[0].Entry.(record.Header).ID != id {
		t.Error(diff)
	}
}

func TestR24_TwoRecordsOfOneNumberAreCounted(t *testing.T) {
	id, content, all := long(t)
	content = append(content, appendLine(nil, 5, time.Time{}, "note", []byte(`{"text":"other"}`))...)
	r := with(t, id, content)
	got, skipped := r.stored(id)
	if diff := cmp.Diff(all, got); diff != "" || skipped.Records != 1 {
		t.Error(diff, skipped)
	}
}

func TestR24_ADamagedDraftIsSetAside(t *testing.T) {
	id, content, _ := long(t)
	r := with(t, id, content)
	draft := r.path(draftName(id))
	r.disk.(*ram).names[draft] = &inode{number: 9, data: []byte(`{"v":1,"input":"x`)}
	j := r.open(id)
	if !j.Draft().Blank() {
		t.Error("half a draft was taken")
	}
	r.close(j)
	if aside := r.disk.(*ram).names[r.path(id+".torn-1")]; aside == nil || !strings.Contains(string(aside.data), "input") {
		t.Error("it is lost")
	}
}

func TestR48_ANewerVersionIsOnlyRead(t *testing.T) {
	id, content, all := long(t)
	line := seal([]byte(`{"v":2,"seq":99,"more":"x"`), 0)
	for _, tail := range []string{"\n", ""} {
		content := append(append(bytes.Clone(content), line...), tail...)
		r := with(t, id, content)
		if _, err := r.Open(id); !errors.Is(err, ErrNewer) {
			t.Fatalf("opened: %v", err)
		}
		if now := r.disk.(*ram).names[r.path(segmentName(id, 1))]; !bytes.Equal(now.data, content) || len(r.names()) != 1 || now.holder != nil {
			t.Error("it was touched")
		}
		got, skipped := r.stored(id)
		if diff := cmp.Diff(all, got); diff != "" || !skipped.Newer {
			t.Error(diff, skipped)
		}
	}
}

func TestR52_AnotherSessionsContentIsRefused(t *testing.T) {
	id, content, _ := long(t)
	other := "20261121-062316-aaaaaa"
	r := with(t, other, content)
	if _, err := r.Open(other); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), other+".jsonl") {
		t.Errorf("opened: %v", err)
	}
	seq, _ := r.Read(context.Background(), other)
	for _, err := range seq {
		if !errors.Is(err, ErrForeign) {
			t.Errorf("read: %v", err)
		}
	}
	// A later segment, and lines that were added to the file.
	own := appendLine(nil, 1, time.Now(), record.KindHeader, []byte(`{"id":"`+other+`"}`))
	for _, files := range []map[string]string{
		{".jsonl": string(own), ".0002.jsonl": string(content)},
		{".jsonl": string(own) + string(content)},
	} {
		all := map[string]string{}
		for name, data := range files {
			all["/state/sessions/"+other+name] = data
		}
		r.disk = restored(t, all)
		if _, err := r.Open(other); !errors.Is(err, ErrForeign) {
			t.Errorf("opened: %v", err)
		}
		if got, skipped := r.stored(other); len(got) != 1 || skipped.Records == 0 {
			t.Errorf("%v, skipped %v", kinds(got), skipped)
		}
	}
	_ = id
}

func TestR30_TheClockMayJump(t *testing.T) {
	r := newRig(t, newRAM(t))
	j := r.begin()
	for i, jump := range []time.Duration{-time.Hour, 10 * 365 * 24 * time.Hour, -200 * 365 * 24 * time.Hour, 100 * time.Nanosecond} {
		r.clock.Jump(jump)
		j.Append(text(fmt.Sprint(i)))
		r.clock.Advance(time.Second)
		r.rest()
		j.Append(record.Prompt{Text: fmt.Sprint(i)})
		r.sync(j)
	}
	if h := j.Health(); h.Failing != "" {
		t.Error(h)
	}
	r.close(j)
	all, skipped := r.stored(j.ID())
	if joinedText(all) != "0123" || skipped.Records != 0 {
		t.Error(kinds(all), skipped)
	}
	ordered(t, all)
}

var update = flag.Bool("update", false, "write the session in testdata anew")

// TestC10_TheFirstFormatIsRead holds that what the first version wrote can be
// read by every later one.
func TestC10_TheFirstFormatIsRead(t *testing.T) {
	dir := filepath.Join("testdata", "v1")
	if *update {
		r := newRig(t, disk{})
		r.o.Dir = dir
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		j := r.journal("20261121-062316-k3f7q2", record.Seat{})
		j.made = true
		for _, e := range every(j.id) {
			j.Append(e)
		}
		j.Keep(record.Draft{Input: "not sent", Queue: []string{"next"}, Answers: []record.Unsent{{ID: "r1", Text: "per\xffhaps"}}})
		r.close(j)
	}
	r := newRig(t, disk{})
	r.o.Dir = dir
	all, skipped := r.stored("20261121-062316-k3f7q2")
	if skipped != (record.Skipped{}) {
		t.Fatal(skipped)
	}
	var got []record.Entry
	for _, r := range all {
		if _, ok := r.Entry.(record.Opened); !ok {
			got = append(got, r.Entry)
		}
	}
	if diff := cmp.Diff(every("20261121-062316-k3f7q2"), got); diff != "" {
		t.Error(diff)
	}
	content, err := os.ReadFile(filepath.Join(dir, "20261121-062316-k3f7q2.draft.json"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := decodeDraft(content)
	if err != nil || d.Answers[0].Text != "per\xffhaps" || d.Queue[0] != "next" {
		t.Error(d, err)
	}
}

// every are entries of all kinds.
func every(id string) []record.Entry {
	said := func(e session.Event) record.Entry { return record.Said{Event: e} }
	ask := &session.Request{Kind: session.Approval, Prompt: "Run it?", Choices: []string{"Yes", "No"}, Fields: []session.Field{{Name: "Statement", Value: "DELETE"}}}
	return []record.Entry{
		record.Header{ID: id, Program: "1.0", Seat: record.Seat{Agent: "echo", Title: "Echo", Hint: "say", Dir: "/home"}},
		record.Ref{Ref: "abc"},
		record.Loading{}, said(session.Prompt{Chunk: "before"}), said(session.Loaded{Title: "old"}), record.Loading{Over: true},
		record.Prompt{Text: "hello\nthere", Tag: "t", Agent: "echo"},
		said(session.Thought{Chunk: "hm"}), said(session.Break{}), said(session.Text{Chunk: "é\xff\x00"}),
		record.Said{Event: session.Text{Chunk: "late"}, From: record.From{Aside: true, Left: 1}},
		said(session.ToolCall{ID: "1", Title: "ls", Kind: "execute", Status: session.Running, Parts: []session.Part{{Kind: session.DiffPart, Name: "a", Text: "+"}}}),
		said(session.ToolCall{ID: "1", Chunk: "out"}),
		said(session.Plan{Steps: []session.PlanStep{{Text: "do", Status: session.Done}}}),
		said(session.Block{Source: "|a|\n"}), said(session.Notice{Text: "note", Error: true}), said(session.Usage{Used: 1, Limit: 2, Cost: "3"}),
		record.Asked{ID: "r1", Digest: "d", Request: ask}, record.Reopened{Old: "r1", Asked: record.Asked{ID: "r2", Digest: "e", Request: ask}},
		record.Withdrawn{ID: "r2"}, record.Decided{ID: "r1", Digest: "d", Answer: session.Answer{Verdict: session.Approve}, Said: "Approved."},
		record.Note{Text: strings.Repeat("large ", 50_000)}, record.Painted{Source: "**x**"}, record.Dropped{Bytes: 7},
		record.Ended{Outcome: session.Broken, Failure: "gone"}, record.Switched{Seat: record.Seat{Agent: "other"}, Said: "other"},
	}
}

func FuzzLoad(f *testing.F) {
	id, content, _ := long(f)
	f.Add(content, []byte("{}"))
	f.Add(content[:len(content)-5], []byte(`{"text":"x"}`))
	f.Add(append(make([]byte, 100), content...), []byte(`{"id":"x"}`))
	f.Add([]byte(`{"v":1,"seq":1,"t":"","k":"note","c":"00000000"}`), []byte(`{"blob":"x"}`))
	f.Add([]byte("\n\n"), []byte(`{"steps":[{}]}`))
	f.Fuzz(func(t *testing.T, content, object []byte) {
		if len(content) > 1<<20 {
			return
		}
		// What has a right checksum comes out again, whatever stands before it.
		var want []string
		data := append(bytes.Clone(content), '\n')
		for i, kind := range []record.Kind{record.KindNote, record.KindText, record.KindPlan} {
			line := appendLine(nil, mostSeq/20+uint64(i), time.Unix(1, 0), kind, []byte(`{}`))
			want = append(want, string(kind))
			data = append(data, line...)
		}
		if len(object) > 1 && !bytes.Contains(object, []byte("\n")) {
			data = append(data, appendLine(nil, mostSeq/20+9, time.Unix(1, 0), record.KindNote, object)...)
		}
		r := with(t, id, data)
		v, err := r.survey(id, nil)
		if err != nil {
			t.Fatal(err)
		}
		seq, _ := r.Read(context.Background(), id)
		var got []record.Record
		for rec, err := range seq {
			if err == nil {
				got = append(got, rec)
			}
		}
		ordered(t, got)
		if _, foreign := v.foreign(); foreign {
			return
		}
		found := 0
		for _, rec := range got {
			if found < len(want) && rec.Seq == mostSeq/20+uint64(found) {
				found++
			}
		}
		if found != len(want) {
			t.Fatalf("%d of %d came out of %q", found, len(want), data)
		}
		j, err := r.Open(id)
		if err != nil {
			return
		}
		before := records(t, j)
		j.Append(record.Prompt{Text: "x"})
		r.sync(j)
		r.close(j)
		after, _ := r.stored(id)
		if len(after) != len(before)+1 {
			t.Fatalf("%d records, %d before", len(after), len(before))
		}
	})
}

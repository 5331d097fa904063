package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"copydesk/core/record"

	"github.com/google/go-cmp/cmp"
)

const stateDir = "/state/sessions"

// written is a session of some turns, on a disk in memory.
func written(t testing.TB, turns int) (r *rig, m *memory, id string) {
	m = newMemory()
	r = newRig(t, stateDir, m)
	j := r.Create(seat)
	for i := range turns {
		j.Append(prompt(fmt.Sprint("prompt ", i)))
		j.Append(text(fmt.Sprintf("answer %d ünd more\n", i)))
		j.Append(decided(fmt.Sprint("r", i)))
		j.Append(record.Ended{})
	}
	r.close(j)
	return r, m, j.ID()
}

// with is a disk with one session file.
func with(t testing.TB, id string, content []byte) (*rig, *memory) {
	m := newMemory()
	m.dirs["/state"], m.dirs[stateDir] = true, true
	m.nodes[filepath.Join(stateDir, segmentName(id, 1))] = &node{data: content, mode: 0o600}
	return newRig(t, stateDir, m), m
}

func content(m *memory, id string, number int) []byte {
	return slices.Clone(m.nodes[filepath.Join(stateDir, segmentName(id, number))].data)
}

// TestR26_C2_CutAtEveryByte cuts the file at every byte of its last 4 KiB: it opens,
// says what it skipped, keeps what it cuts off, and goes on cleanly (R26).
func TestR26_C2_CutAtEveryByte(t *testing.T) {
	_, m, id := written(t, 20)
	whole := content(m, id, 1)
	for cut := max(0, len(whole)-4096); cut <= len(whole); cut++ {
		r, m := with(t, id, slices.Clone(whole[:cut]))
		good := bytes.Count(whole[:cut], []byte{'\n'})
		tail := whole[bytes.LastIndexByte(whole[:cut], '\n')+1 : cut]
		complete := json.Valid(tail) && len(tail) > 0
		if complete {
			good++
		}
		j := r.open(id)
		want := record.Skipped{}
		if len(tail) > 0 && !complete {
			want = record.Skipped{Records: 1, Bytes: int64(len(tail))}
		}
		if j.Skipped() != want {
			t.Fatalf("cut at %d: skipped %+v, not %+v", cut, j.Skipped(), want)
		}
		j.Append(prompt("after"))
		r.close(j)
		records, skipped := r.read(id)
		if len(records) != good+2 || skipped.Records != 0 || records[good+1].Entry != prompt("after") {
			t.Fatalf("cut at %d: %d records of %d, skipped %+v", cut, len(records), good+2, skipped)
		}
		torn, ok := m.nodes[filepath.Join(stateDir, id+".torn-1")]
		if ok != (want.Records > 0) || ok && !bytes.Equal(torn.data, tail) {
			t.Fatalf("cut at %d: what was cut off is not kept", cut)
		}
		if got := content(m, id, 1); !bytes.HasPrefix(got, whole[:cut-len(tail)]) {
			t.Fatalf("cut at %d: what was there has changed", cut)
		}
	}
}

// TestC3_ZerosAnywhere puts zeros over the end and over the middle, as ext4
// leaves them after a power cut: every other record is there.
func TestC3_ZerosAnywhere(t *testing.T) {
	_, m, id := written(t, 24)
	whole := content(m, id, 1)
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	for k := 1; k <= 4096; k += 1 + k/64 {
		for _, from := range []int{len(whole) - k, (len(whole) - k) / 2} {
			damaged := slices.Clone(whole)
			clear(damaged[from : from+k])
			var want []string
			at := 0
			for _, l := range lines {
				if end := at + len(l) - 1; len(l) > 0 && (end <= from || at >= from+k) {
					want = append(want, string(l))
				}
				at += len(l)
			}
			r, m := with(t, id, damaged)
			j := r.open(id)
			records := r.collect(j.Records(context.Background()))
			var got []string
			for _, rec := range records[:len(records)-1] { // the last one says that it was opened
				l := must(r.newLine(place{rec.Seq, rec.Time}, rec.Entry))
				got = append(got, string(l.data))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d zeros at %d of %d: %d records, not %d", k, from, len(whole), len(got), len(want))
			}
			if j.Skipped().Records == 0 && len(got) < len(lines)-1 {
				t.Fatalf("%d zeros at %d: nothing was counted", k, from)
			}
			r.close(j)
			kept := content(m, id, 1)
			if torn := m.nodes[filepath.Join(stateDir, id+".torn-1")]; torn != nil {
				kept = slices.Concat(kept[:min(len(kept), len(damaged)-len(torn.data))], torn.data)
			}
			if !bytes.HasPrefix(kept, damaged) {
				t.Fatalf("%d zeros at %d: the file was rewritten", k, from)
			}
		}
	}
}

// TestR24_EveryGoodRecordIsThere is the corpus of damaged sessions.
func TestR24_EveryGoodRecordIsThere(t *testing.T) {
	_, m, id := written(t, 3)
	whole := content(m, id, 1)
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	lines = lines[:len(lines)-1]
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	mid := len(lines) / 2
	flip := func(i int, old, with string) []byte {
		l := slices.Clone(lines)
		l[i] = bytes.Replace(l[i], []byte(old), []byte(with), 1)
		return join(l...)
	}
	insert := func(b []byte) []byte { return join(append(append(slices.Clone(lines[:mid]), b), lines[mid:]...)...) }
	shuffled := slices.Clone(lines)
	shuffled[4], shuffled[9] = shuffled[9], shuffled[4]
	slices.Reverse(shuffled[10:])
	corpus := []struct {
		name    string
		content []byte
		missing int
		skipped int
	}{
		{"whole", whole, 0, 0},
		{"torn tail", whole[:len(whole)-5], 1, 1},
		{"no last line end", whole[:len(whole)-1], 0, 0},
		{"zeros between", insert(append(make([]byte, 700), '\n')), 0, 1},
		{"zeros at the end", append(slices.Clone(whole), make([]byte, 4096)...), 0, 1},
		{"a bad line", insert([]byte("this is no record\n")), 0, 1},
		{"half a line, then a whole one", insert(lines[mid][:40]), 0, 1},
		{"bad UTF-8", flip(3, "ünd", "\xff\xfe"), 1, 1},
		{"no header", join(lines[1:]...), 1, 0},
		{"a damaged header", flip(0, "fake", "fooo"), 1, 1},
		{"a lost line end", bytes.Replace(whole, []byte("}\n{"), []byte("}{"), 3), 0, 0},
		{"a wrong checksum", flip(mid, `"c":"`, `"c":"0`), 1, 1},
		{"another checksum", flip(4, `"digest":"d"`, `"digest":"e"`), 1, 1},
		{"twice the same", join(whole, lines[2], lines[3]), 0, 0},
		{"out of order", join(shuffled...), 0, 0},
		{"of Windows", bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), 0, 0},
		{"an unknown kind", insert(encodeLine(place{99, newClock().Now()}, "poem", []byte(`{"text":"x"}`))), 0, 1},
	}
	for _, c := range corpus {
		t.Run(c.name, func(t *testing.T) {
			r, m := with(t, id, slices.Clone(c.content))
			records, skipped := r.read(id)
			live := c.skipped
			if c.name == "torn tail" || c.name == "zeros at the end" {
				live = 0 // it may be in the middle of being written
			}
			if len(records) != len(lines)-c.missing || skipped.Records != live || skipped.Newer {
				t.Fatalf("%d records of %d, skipped %+v", len(records), len(lines), skipped)
			}
			j := r.open(id)
			if s := j.Skipped(); s.Records != c.skipped {
				t.Errorf("opened, it skipped %+v", s)
			}
			j.Append(note("on"))
			if got := r.collect(j.Records(context.Background())); len(got) != len(records)+2 {
				t.Errorf("opened, it has %d records and not %d", len(got), len(records)+2)
			}
			r.close(j)
			again, _ := r.read(id)
			if diff := cmp.Diff(entries(records), entries(again)[:len(records)]); diff != "" {
				t.Error(diff)
			}
			if len(again) != len(records)+2 {
				t.Errorf("after going on there are %d records and not %d", len(again), len(records)+2)
			}
			kept := content(m, id, 1)
			for _, name := range []string{".torn-1"} {
				if n, ok := m.nodes[filepath.Join(stateDir, id+name)]; ok {
					kept = append(kept, n.data...)
				}
			}
			if len(kept) < len(c.content) {
				t.Error("something of the original is gone")
			}
		})
	}
}

// TestR24_NothingIsLeft opens an empty file: it gets a header again.
func TestR24_NothingIsLeft(t *testing.T) {
	_, _, id := written(t, 1)
	r, _ := with(t, id, nil)
	j := r.open(id)
	j.Append(note("on"))
	r.close(j)
	records, skipped := r.read(id)
	if len(records) != 3 || skipped.Records != 0 || records[0].Entry.(record.Header).ID != id || records[2].Entry != note("on") {
		t.Errorf("%+v, skipped %+v", records, skipped)
	}
}

// TestR24_AGapIsCountedForGood holds that a lost last record is not replaced by a
// new one of the same number, which would hide that it is lost.
func TestR24_AGapIsCountedForGood(t *testing.T) {
	_, m, id := written(t, 1)
	damaged := bytes.Replace(content(m, id, 1), []byte(`"k":"ended"`), []byte(`"k":"endet"`), 1)
	r, _ := with(t, id, damaged)
	j := r.open(id)
	j.Append(note("on"))
	r.close(j)
	if _, skipped := r.read(id); skipped.Records != 1 {
		t.Errorf("skipped %+v", skipped)
	}
}

// TestR24_EndlessLines holds that a line beyond all limits is passed over, in
// bounded memory.
func TestR24_EndlessLines(t *testing.T) {
	_, m, id := written(t, 2)
	whole := content(m, id, 1)
	endless := append(bytes.Repeat([]byte("x"), maxLine+100), '\n')
	r, _ := with(t, id, slices.Concat(whole, endless, whole))
	records, skipped := r.read(id)
	if len(records) != bytes.Count(whole, []byte{'\n'}) || skipped.Records != 1 || skipped.Bytes < maxLine {
		t.Errorf("%d records, skipped %+v", len(records), skipped)
	}
}

// TestR30_OrderIsTheNumber writes while the clock jumps.
func TestR30_OrderIsTheNumber(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	jumps := []int{0, -3600, 10 * 365 * 24 * 3600, -20 * 365 * 24 * 3600, 5}
	var said []record.Entry
	for i, s := range jumps {
		r.clock.jump(s)
		said = append(said, prompt(fmt.Sprint(i)), text("t"), record.Ended{})
		for _, e := range said[len(said)-3:] {
			j.Append(e)
		}
		r.sync(j)
		if h := j.Health(); h.Failing != "" || !h.Saved.Equal(r.clock.Now()) {
			t.Errorf("after the jump of %d s: %+v at %s", s, h, r.clock.Now())
		}
	}
	r.close(j)
	r.holds(j.ID(), told(said...))
	j = r.open(j.ID())
	r.close(j)
	r.holds(j.ID(), told(said...))
}

// TestR48_NewerIsNotTouched opens what a later version has written.
func TestR48_NewerIsNotTouched(t *testing.T) {
	_, m, id := written(t, 2)
	whole := content(m, id, 1)
	line := bytes.Replace(bytes.SplitAfter(whole, []byte{'\n'})[2], []byte(`"v":1`), []byte(`"v":2`), 1)
	signed := append(seal(line[:len(line)-1-crcTail]), '\n')
	for name, newer := range map[string][]byte{"signed": signed, "of another shape": []byte(`{"v":2,"x":[1,2]}` + "\n")} {
		t.Run(name, func(t *testing.T) {
			r, m := with(t, id, slices.Concat(whole, newer, []byte(`{"v":1,"seq":9`)))
			before := content(m, id, 1)
			if _, err := r.Open(id); !errors.Is(err, ErrNewer) {
				t.Errorf("open: %v", err)
			}
			if !bytes.Equal(content(m, id, 1), before) || len(m.nodes) != 1 || len(m.log) != 0 {
				t.Error("the session was touched")
			}
			records, skipped := r.read(id)
			if len(records) != bytes.Count(whole, []byte{'\n'}) || !skipped.Newer || skipped.Records != 1 {
				t.Errorf("%d records, skipped %+v", len(records), skipped)
			}
			if _, err := r.Open(id); !errors.Is(err, ErrNewer) { // the lock is free
				t.Errorf("open again: %v", err)
			}
		})
	}
	// A bit that has turned is damage, and hides nothing else.
	r, _ := with(t, id, bytes.Replace(slices.Clone(whole), []byte(`"v":1,"seq":3`), []byte(`"v":3,"seq":3`), 1))
	j := r.open(id)
	if s := j.Skipped(); s.Newer || s.Records != 1 {
		t.Errorf("skipped %+v", s)
	}
	r.close(j)
}

// TestR52_AnotherSessionsContentIsRefused swaps the files of two sessions.
func TestR52_AnotherSessionsContentIsRefused(t *testing.T) {
	r, m, a := written(t, 2)
	other := r.Create(seat)
	other.Append(prompt("of the other"))
	r.close(other)
	b := other.ID()
	pa, pb := filepath.Join(stateDir, segmentName(a, 1)), filepath.Join(stateDir, segmentName(b, 1))
	m.nodes[pa], m.nodes[pb] = m.nodes[pb], m.nodes[pa]
	for _, id := range []string{a, b} {
		_, err := r.Open(id)
		if !errors.Is(err, ErrForeign) {
			t.Errorf("open: %v", err)
		}
		seq, _ := r.Read(context.Background(), id)
		for rec, err := range seq {
			if !errors.Is(err, ErrForeign) {
				t.Errorf("read: %v, %v", rec, err)
			}
		}
	}
	m.nodes[pa], m.nodes[pb] = m.nodes[pb], m.nodes[pa]
	m.nodes[filepath.Join(stateDir, segmentName(a, 2))] = m.nodes[pb] // also a later segment
	if _, err := r.Open(a); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), b) {
		t.Errorf("open: %v", err)
	}
}

func TestSES3_NamesAreNoPaths(t *testing.T) {
	r := newRig(t, t.TempDir(), nil)
	for _, id := range []string{"", ".", "../x", "20261121-062316-k3f9q2/..", "20261121-062316-K3F9Q2", "20261121-062316-k3f9q2\n", "x20261121-062316-k3f9q2"} {
		if ValidID(id) {
			t.Errorf("%q is an id", id)
		}
		if _, err := r.Open(id); !errors.Is(err, errID) {
			t.Errorf("open %q: %v", id, err)
		}
		if err := r.Remove(id); !errors.Is(err, errID) {
			t.Errorf("remove %q: %v", id, err)
		}
	}
	if _, err := r.Open("20261121-062316-k3f9q2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
}

// TestT19_FilesAreOursAlone holds the modes of all files, whatever the umask,
// and that nothing goes through a link.
func TestT19_FilesAreOursAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "sessions")
	r := newRig(t, dir, nil)
	r.blob = 100
	j := r.Create(seat)
	j.Append(prompt(strings.Repeat("long ", 100)))
	j.Keep(record.Draft{Input: "draft"})
	r.close(j)
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = fs.ModeDir | 0o700
		}
		n++
		if info, err := d.Info(); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", d.Name(), info.Mode(), err)
		}
		return err
	})
	if err != nil || n != 5 { // the folder, the session, its blobs, a blob, the draft
		t.Errorf("%d files, %v", n, err)
	}

	id := "20261121-062316-k3f9q2"
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, segmentName(id, 1))); err != nil {
		t.Skip("no links here: ", err)
	}
	if _, err := r.Open(id); err == nil {
		t.Error("a link was opened")
	}
	seq, _ := r.Read(context.Background(), id)
	for _, err := range seq {
		if err == nil {
			t.Error("a link was read")
		}
	}
	if b, _ := os.ReadFile(elsewhere); string(b) != "mine" {
		t.Errorf("what the link points to is %q", b)
	}
}

package chat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"copydesk/core"
	"copydesk/core/session"
)

// workspace makes a working folder with a folder beside it that is none of an
// agent's business.
func workspace(t *testing.T, files map[string]string) (dir, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	dir, outside = filepath.Join(base, "ws"), filepath.Join(base, "ws-evil")
	ok(t, os.Mkdir(dir, 0o755))
	ok(t, os.Mkdir(outside, 0o755))
	ok(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("SENTINEL9"), 0o644))
	for name, content := range files {
		ok(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		ok(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o640))
	}
	return dir, outside
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// does plays a turn with one call and returns what the model hears of it.
func does(t *testing.T, dir, tool string, args string, answer answerer) (*record, string) {
	t.Helper()
	h := newHost(t, callStep(tool, args), says("ok"))
	got := play(t, chatWith(t, h, func(o *Options) { o.Dir = dir }), "go", answer)
	if got.err != nil || len(h.requests()) != 2 {
		t.Fatalf("%v, %d requests", got.err, len(h.requests()))
	}
	h.requests()[1].valid(t)
	return got, h.requests()[1].last()
}

func fileArgs(path, content string) string {
	return fmt.Sprintf(`{"path":%s,"content":%s}`, quoted(path), quoted(content))
}

func held(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	ok(t, err)
	return string(b)
}

func TestAGT4_WritesWhatWasShown(t *testing.T) {
	dir, _ := workspace(t, map[string]string{"a.go": "one\ntwo\n", "run.sh": "x", ".git/hooks/x": "old"})
	ok(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o750))
	for _, tt := range []struct {
		path, content, rel, prompt, diff, heard string
		mode                                    fs.FileMode
		warn                                    bool
	}{
		{"a.go", "one\n2\n", "a.go", "Change a.go?", "--- a.go\n+++ a.go\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "Written: a.go (lines: +1 -1).", 0o640, false},
		{filepath.Join(dir, "run.sh"), "y", "run.sh", "Change run.sh?", "--- run.sh\n+++ run.sh\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", "Written: run.sh (lines: +1 -1).", 0o750, false},
		{"new/deep/./f.txt", "hi\n", "new/deep/f.txt", "Create new/deep/f.txt?", "--- /dev/null\n+++ new/deep/f.txt\n@@ -0,0 +1 @@\n+hi\n", "Written: new/deep/f.txt (lines: +1 -0).", 0o644, false},
		{"empty", "", "empty", "Create empty?", "--- /dev/null\n+++ empty\n", "Written: empty (lines: +0 -0).", 0o644, false},
		{".git/hooks/x", "new", ".git/hooks/x", "Change .git/hooks/x?", "--- .git/hooks/x\n+++ .git/hooks/x\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n", "Written: .git/hooks/x (lines: +1 -1).", 0o640, true},
	} {
		got, heard := does(t, dir, "write_file", fileArgs(tt.path, tt.content), approve)
		r := got.requests[0]
		if r.Prompt != tt.prompt || r.From != "tester" || !r.TakesReason || r.Fields[0].Value != filepath.Join(dir, tt.rel) ||
			(len(r.Fields) == 3 && r.Fields[1].Warn) != tt.warn || heard != tt.heard || got.status["c1"] != session.Done {
			t.Errorf("asked %+v, the model hears %q", r, heard)
		}
		if d := cmp.Diff(session.Field{Name: "change", Value: tt.diff, Lang: "diff"}, r.Fields[len(r.Fields)-1]); d != "" {
			t.Error(d)
		}
		file := filepath.Join(dir, tt.rel)
		info, err := os.Stat(file)
		ok(t, err)
		if held(t, file) != tt.content || info.Mode().Perm() != tt.mode {
			t.Errorf("%s holds %q, %v", tt.rel, held(t, file), info.Mode())
		}
		nothingBeside(t, dir)
	}
	got, heard := does(t, dir, "write_file", fileArgs("a.go", "one\n2\n"), nil)
	if heard != "Nothing to do: a.go holds exactly this." || got.status["c1"] != session.Done {
		t.Errorf("the model hears %q", heard)
	}
}

func nothingBeside(t *testing.T, dir string) {
	t.Helper()
	ok(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.Contains(path, ".copydesk-") {
			t.Errorf("%s is left behind", path)
		}
		return err
	}))
}

func TestAGT4_RejectsAChange(t *testing.T) {
	dir, _ := workspace(t, map[string]string{"a.go": "one\n"})
	got, heard := does(t, dir, "write_file", fileArgs("a.go", "two\n"), func(*session.Request) session.Answer {
		return session.Answer{Verdict: session.Reject, Reason: "use tabs"}
	})
	if held(t, filepath.Join(dir, "a.go")) != "one\n" || heard != "The user rejected this. The reason: use tabs" || got.status["c1"] != session.Failed {
		t.Errorf("the model hears %q, status %v", heard, got.status)
	}
}

// TestT47_AFileThatChangedIsShownAnew changes the file behind the dialog.
func TestT47_AFileThatChangedIsShownAnew(t *testing.T) {
	for name, tt := range map[string]struct {
		before string // empty: there is no file
		behind func(file string) error
		asked  []string // the diffs that are shown, without heads
		after  string
		heard  string
	}{
		"changed": {"one\n", func(f string) error { return os.WriteFile(f, []byte("1\n"), 0o600) }, []string{"-one\n+two\n", "-1\n+two\n"}, "two\n", "Written: a.go (lines: +1 -1)."},
		"removed": {"one\n", os.Remove, []string{"-one\n+two\n", "+two\n"}, "two\n", "Written: a.go (lines: +1 -0)."},
		"came":    {"", func(f string) error { return os.WriteFile(f, []byte("1\n"), 0o600) }, []string{"+two\n", "-1\n+two\n"}, "two\n", "Written: a.go (lines: +1 -1)."},
		"mode":    {"one\n", func(f string) error { return os.Chmod(f, 0o755) }, []string{"-one\n+two\n", "-one\n+two\n"}, "two\n", "Written: a.go (lines: +1 -1)."},
		"same":    {"one\n", func(f string) error { return os.WriteFile(f, []byte("two\n"), 0o600) }, []string{"-one\n+two\n"}, "two\n", "Nothing to do: a.go holds exactly this by now."},
		"folder":  {"one\n", func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) }, []string{"-one\n+two\n"}, "", "Error: a.go cannot be read: it is no file."},
		"link":    {"one\n", func(f string) error { return errors.Join(os.Remove(f), os.Symlink("../ws-evil/secret", f)) }, []string{"-one\n+two\n"}, "", "Error: a.go is a symbolic link, and nothing is written through one; name the real path."},
	} {
		// The change is found when the answer is there, or before it by a look
		// at the file now and then.
		for _, watched := range []bool{false, true} {
			t.Run(fmt.Sprint(name, watched), func(t *testing.T) {
				files := map[string]string{"b": ""}
				if tt.before != "" {
					files["a.go"] = tt.before
				}
				dir, outside := workspace(t, files)
				file := filepath.Join(dir, "a.go")
				h := newHost(t, callStep("write_file", fileArgs("a.go", "two\n")), says("ok"))
				a := chatWith(t, h, func(o *Options) {
					o.Dir = dir
					o.After = func(d time.Duration, f func()) func() {
						f()
						return func() {}
					}
				})
				var shown []string
				var open *session.Request
				look := func(r *session.Request) {
					_, diff, _ := strings.Cut(r.Fields[len(r.Fields)-1].Value, "@@\n")
					for _, f := range r.Fields {
						if f.Name == "change" {
							_, diff, _ = strings.Cut(f.Value, "@@\n")
						}
					}
					shown = append(shown, diff)
					if open = r; len(shown) == 1 {
						ok(t, tt.behind(file))
					}
					if len(shown) > 1 || !watched {
						r.Reply <- approve(r)
					}
				}
				for e, err := range a.Run(t.Context(), "go") {
					ok(t, err)
					switch e := e.(type) {
					case *session.Request:
						look(e)
					case session.Reopened:
						if e.Old != open || e.Old.Digest() == e.New.Digest() {
							t.Error("something else was reopened")
						}
						look(e.New)
					case session.Withdrawn:
						if e.Request != open {
							t.Error("something else was withdrawn")
						}
					}
				}
				if d := cmp.Diff(tt.asked, shown); d != "" {
					t.Error(d)
				}
				if heard := h.requests()[1].last(); heard != tt.heard {
					t.Errorf("the model hears %q", heard)
				}
				if tt.after != "" && held(t, file) != tt.after || held(t, filepath.Join(outside, "secret")) != "SENTINEL9" {
					t.Error("something else was written")
				}
				nothingBeside(t, dir)
			})
		}
	}
}

func TestT40_NothingOutsideOfTheFolder(t *testing.T) {
	dir, outside := workspace(t, map[string]string{"in/a": "x"})
	for name, target := range map[string]string{"out": "../ws-evil", "far": outside, "file": "../ws-evil/secret", "near": "in", "loop": "loop"} {
		ok(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, path := range []string{
		"/etc/hostname", "../x", "../ws-evil/secret", "../ws-evil/x", outside + "/secret", dir + "-evil/x", "in/../../ws-evil/secret",
		"out/secret", "out/x", "far/secret", "far/deep/x", "file", "loop", "loop/x", "..", dir + "/../ws-evil/secret",
	} {
		for tool, args := range map[string]string{"write_file": fileArgs(path, "PWNED"), "read_file": `{"path":` + quoted(path) + `}`} {
			if _, heard := does(t, dir, tool, args, nil); !strings.HasPrefix(heard, "Error: ") || strings.Contains(heard, "SENTINEL9") {
				t.Errorf("%s %s: the model hears %q", tool, path, heard)
			}
		}
		if _, heard := does(t, dir, "run_command", `{"command":["true"],"cwd":`+quoted(path)+`}`, nil); !strings.HasPrefix(heard, "Error: ") {
			t.Errorf("a command in %s: the model hears %q", path, heard)
		}
	}
	// A link that stays inside may be read through and not written through: what
	// is shown of a path is where it is.
	if _, heard := does(t, dir, "read_file", `{"path":"near/a"}`, nil); heard != "x" {
		t.Errorf("the model hears %q", heard)
	}
	if _, heard := does(t, dir, "write_file", fileArgs("near/a", "y"), nil); !strings.HasPrefix(heard, `Error: "near/a" "near" is a symbolic link`) {
		t.Errorf("the model hears %q", heard)
	}
	entries, err := os.ReadDir(outside)
	ok(t, err)
	if len(entries) != 1 || held(t, filepath.Join(outside, "secret")) != "SENTINEL9" || held(t, filepath.Join(dir, "in", "a")) != "x" {
		t.Errorf("something was written: %v", entries)
	}
}

// TestT40_SwappedFolders swaps a folder and a link all the time, while files are
// written and read through it: a link out of the working folder, and one to
// another place in it, which the user was not shown.
func TestT40_SwappedFolders(t *testing.T) {
	for _, target := range []string{"../ws-evil", "other"} {
		t.Run(target, func(t *testing.T) { swapFolders(t, target) })
	}
}

func swapFolders(t *testing.T, target string) {
	dir, _ := workspace(t, map[string]string{"real/f": "old", "other/secret": "SENTINEL9"})
	elsewhere := filepath.Join(dir, target)
	sub, aside := filepath.Join(dir, "sub"), filepath.Join(dir, "real")
	ok(t, os.Rename(aside, sub))
	const swaps = 5000
	var swapped, stop atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; stop.Load() == 0; swapped.Add(1) {
			if os.Rename(sub, aside) != nil {
				_ = os.RemoveAll(aside) // a write has made another sub meanwhile
				continue
			}
			_ = os.Symlink(target, sub)
			for range 5 { // the link stands about as long as the folder
				_, _ = os.Stat(sub)
			}
			_ = os.Remove(sub)
			_ = os.Rename(aside, sub)
		}
	}()
	at, err := openFolder(dir)
	ok(t, err)
	root, err := os.OpenRoot(dir)
	ok(t, err)
	defer root.Close()
	tried, written := 0, 0
	for n := int64(0); n < swaps || n < 40*swaps && (written == 0 || written == tried); n = swapped.Load() {
		tried++
		e, err := (&edit{folder: at, rel: filepath.Join("sub", "f"), content: fmt.Sprint("new ", tried)}).again()
		if err == nil && e.make() == nil {
			written++
		}
		if e, err := (&edit{folder: at, rel: filepath.Join("sub", "secret"), content: "PWNED"}).again(); err == nil && e.before.exists {
			t.Error("a file elsewhere was read")
			break
		}
		if s, err := excerpt(root, filepath.Join("sub", "secret"), 1, 0, core.CommandOutput); err == nil && target != "other" {
			t.Errorf("a file outside was read: %q", s)
			break
		}
	}
	stop.Store(1)
	<-done
	if written == 0 || written == tried {
		t.Errorf("%d of %d writes: the swaps were never in between", written, tried)
	}
	entries, err := os.ReadDir(elsewhere)
	ok(t, err)
	if len(entries) != 1 || held(t, filepath.Join(elsewhere, "secret")) != "SENTINEL9" {
		t.Errorf("something was written elsewhere: %v", entries)
	}
}

func TestAGT4_ReadsFiles(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 10_000)
	dir, _ := workspace(t, map[string]string{
		"a": "one\ntwo\nthree", "empty": "", "bin": "a\x00b", "latin": "a\xffb", "long": long, "line": strings.Repeat("ä", 100_000) + "\nnext\n",
		"split": strings.Repeat("ä", 4095) + "€x\n", "sub/b": "", "sub/c/d": "",
	})
	cut := long[:core.CommandOutput]
	for _, tt := range []struct{ args, want string }{
		{`{"path":"a"}`, "one\ntwo\nthree"},
		{`{"path":"./sub/../a","offset":2}`, "two\nthree"},
		{`{"path":"a","offset":2,"limit":1}`, "two\n\n[The file goes on; read on with offset 3.]"},
		{`{"path":"a","offset":3,"limit":1}`, "three"},
		{`{"path":"a","offset":9}`, `Error: "a" has no line 9.`},
		{`{"path":"empty"}`, ""},
		{`{"path":"bin"}`, `Error: "bin" is no text file (3 bytes).`},
		{`{"path":"latin"}`, `Error: "latin" is no text file (3 bytes).`},
		{`{"path":"long"}`, cut + "\n[The file goes on; read on with offset 4097.]"},
		{`{"path":"long","offset":4097,"limit":1}`, "0123456789abcde\n\n[The file goes on; read on with offset 4098.]"},
		{`{"path":"line"}`, strings.Repeat("ä", core.CommandOutput/2) + "\n[Line 1 goes on; it is too long to be read whole. The next one has offset 2.]"},
		{`{"path":"line","offset":2}`, "next\n"},
		{`{"path":"split"}`, strings.Repeat("ä", 4095) + "€x\n"},
		{`{"path":"sub"}`, "A folder with 2 entries:\nb\nc/\n"},
		{`{"path":"nowhere"}`, `Error: "nowhere" does not exist.`},
	} {
		got, heard := does(t, dir, "read_file", tt.args, nil)
		if heard != tt.want {
			t.Errorf("%s: the model hears %.120q … %d bytes, want %.120q … %d", tt.args, heard, len(heard), tt.want, len(tt.want))
		}
		if failed := got.status["c1"] == session.Failed; failed != strings.HasPrefix(tt.want, "Error: ") {
			t.Errorf("%s: shown as %v", tt.args, got.status)
		}
	}
}

func TestAGT5_MentionsAreQuoted(t *testing.T) {
	dir, outside := workspace(t, map[string]string{"a.go": "package a\n", "my notes.md": "see:\n```\nx\n```", "bin": "a\x00b", "sub/b": ""})
	ok(t, os.Symlink(outside, filepath.Join(dir, "out")))
	for i := range 6 {
		ok(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("big", i)), []byte(strings.Repeat("0123456789abcde\n", 5000)), 0o600))
	}
	for _, tt := range []struct {
		prompt, want string
		notices      []string
	}{
		{"no files", "no files", nil},
		{"look at @a.go, and @a.go!", "look at @a.go, and @a.go!\n\na.go:\n```go\npackage a\n```", nil},
		{`@"my notes.md"`, "@\"my notes.md\"\n\nmy notes.md:\n````md\nsee:\n```\nx\n```\n````", nil},
		{"@sub/", "@sub/\n\nsub/:\n```\nA folder with 1 entries:\nb\n```", nil},
		{"@bin", "@bin\n\n(The content of bin is not added: it is no text file (3 bytes).)", []string{"@bin was not added to the prompt: it is no text file (3 bytes)."}},
		{"@out/secret @missing me@a.go", "@out/secret @missing me@a.go", nil},
	} {
		h := newHost(t, says("ok"))
		got := play(t, chatWith(t, h, func(o *Options) { o.Dir = dir }), tt.prompt, nil)
		if d := cmp.Diff(tt.want, h.requests()[0].last()); d != "" || got.err != nil {
			t.Errorf("%s: %v %s", tt.prompt, got.err, d)
		}
		if d := cmp.Diff(tt.notices, got.notices, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	}
	h := newHost(t, says("ok"))
	got := play(t, chatWith(t, h, func(o *Options) { o.Dir = dir }), "@big0 @big1 @big2 @big3 @big4 @big5", nil)
	if n := len(h.requests()[0].last()); n > maxQuoted+4096 || n < maxQuoted || len(got.notices) == 0 {
		t.Errorf("%d bytes, %q", n, got.notices)
	}
}

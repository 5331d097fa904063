package mention

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// folder makes a working folder of files; a name that ends in a slash is a
// folder.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	for _, name := range append([]string{"./"}, names...) {
		p := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(p, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, []byte(name), 0o644))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAGT5_CompletesNamesBelowTheFolder(t *testing.T) {
	dir := folder(t, "README.md", "main.go", "my file.txt", "my dir/in it.go", "src/a.go", "src/.hidden", ".git/config", ".github/ci.yml",
		`quo"te`, "bad\nname", "bad\xffname")
	for _, tt := range []struct {
		input string
		start int
		words []string
	}{
		{"", 0, nil},
		{"hello", 5, nil},
		{"me@example.org", 14, nil},
		{"look at @", 8, []string{"@README.md", "@main.go", `@"my dir/`, `@"my file.txt"`, `@quo"te`, "@src/"}},
		{"@s", 0, []string{"@src/"}},
		{"(@S", 1, nil},
		{"(@src/", 1, []string{"@src/a.go"}},
		{"@src/.", 0, []string{"@src/.hidden"}},
		{"@.", 0, []string{"@.github/"}},
		{"@read", 0, []string{"@README.md"}},
		{"@READ", 0, []string{"@README.md"}},
		{"@rEAD", 0, nil},
		{`@"my `, 0, []string{`@"my dir/`, `@"my file.txt"`}},
		{`@"my dir/`, 0, []string{`@"my dir/in it.go"`}},
		{`@"src/`, 0, []string{`@"src/a.go"`}},
		{`@"my file.txt" and`, 18, nil},
		{"@main.go ", 9, nil},
		{"@main.go @ma", 9, []string{"@main.go"}},
		{"@main.go/", 0, nil},
		{"@.git/", 0, []string{"@.git/config"}},
		{"ä @ma", 3, []string{"@main.go"}},
	} {
		start, words := Complete(dir, tt.input)
		if start != tt.start || !slices.Equal(words, tt.words) {
			t.Errorf("Complete(%q) = %d, %q; want %d, %q", tt.input, start, words, tt.start, tt.words)
		}
	}
}

func TestAGT5_OffersFiftyNamesAtMost(t *testing.T) {
	var names []string
	for i := range 120 {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	_, words := Complete(folder(t, names...), "@f")
	if len(words) != maxWords || words[0] != "@f000" || words[maxWords-1] != "@f049" {
		t.Fatalf("got %d words, %q to %q", len(words), words[0], words[len(words)-1])
	}
}

func TestAGT5_ListsNothingOutsideOfTheFolder(t *testing.T) {
	dir := folder(t, "in/a", "in/b.txt")
	outside := filepath.Join(filepath.Dir(dir), "ws-evil")
	must(t, os.MkdirAll(outside, 0o755))
	must(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o644))
	for name, target := range map[string]string{
		"out": "../ws-evil", "far": outside, "file": "../ws-evil/secret", "gone": "nowhere", "near": "in", "loop": "loop",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	if _, words := Complete(dir, "@"); !slices.Equal(words, []string{"@in/", "@near/"}) {
		t.Errorf("the folder lists %q", words)
	}
	for _, path := range []string{"../", "../ws-evil/", "out/", "far/", outside + "/", "in/../../ws-evil/", "/"} {
		if _, words := Complete(dir, "@"+path); words != nil {
			t.Errorf("@%s lists %q", path, words)
		}
	}
	for _, path := range []string{"..", "../ws-evil/secret", "out/secret", "file", "gone", "loop", outside, "/etc/hostname", "in/../../ws-evil/secret"} {
		if found := Find(dir, "see @"+path); found != nil {
			t.Errorf("@%s is found: %v", path, found)
		}
	}
	if _, words := Complete(dir, "@near/"); !slices.Equal(words, []string{"@near/a", "@near/b.txt"}) {
		t.Errorf("a link inside of the folder lists %q", words)
	}
}

func TestAGT5_FindsWhatExists(t *testing.T) {
	dir := folder(t, "a.go", "my file.txt", "src/b.go", "odd.", "x,y")
	for _, tt := range []struct {
		prompt string
		want   []string
	}{
		{"nothing", nil},
		{"@a.go", []string{"@a.go"}},
		{"explain @a.go, then (@src/b.go). Not @missing", []string{"@a.go", "@src/b.go"}},
		{"me@a.go", nil},
		{`what is in @"my file.txt"?`, []string{`@"my file.txt"`}},
		{`@"my file.txt`, nil},
		{`@"a.go" @""`, []string{`@"a.go"`}},
		{"@src and @src/ !", []string{"@src", "@src/"}},
		{"@odd. @odd.. @x,y", []string{"@odd.", "@odd.", "@x,y"}},
		{"@@a.go", nil},
		{"@a.go\n@a.go\x00", []string{"@a.go"}},
		{"@ @" + strings.Repeat("a", maxPath+1), nil},
	} {
		var got []string
		for _, m := range Find(dir, tt.prompt) {
			got = append(got, tt.prompt[m.Start:m.End])
			if want := filepath.Join(dir, m.Path); m.Abs != want {
				t.Errorf("%q: Abs is %q, want %q", tt.prompt, m.Abs, want)
			}
			if strings.Trim(tt.prompt[m.Start:m.End], `@"`) != m.Path {
				t.Errorf("%q: Path is %q", tt.prompt, m.Path)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.prompt, d)
		}
	}
	if found := Find(filepath.Join(dir, "nowhere"), "@a.go"); found != nil {
		t.Errorf("without a folder: %v", found)
	}
}

// TestAGT5_APastedBookIsNoWork holds that mentions are looked for in megabytes
// without much work.
func TestAGT5_APastedBookIsNoWork(t *testing.T) {
	dir := folder(t, "a.go")
	for _, prompt := range []string{strings.Repeat("(@", 2<<20), strings.Repeat(`(@"`, 1<<20), "@" + strings.Repeat(".", 4<<20), strings.Repeat("@"+strings.Repeat(".,", 1000)+" ", 2000)} {
		if found := Find(dir, prompt); found != nil {
			t.Errorf("found %v", found)
		}
		Complete(dir, prompt)
	}
}

// What is offered is found, however odd the names are.
func TestAGT5_WhatIsOfferedIsFound(t *testing.T) {
	name := rapid.StringMatching(`[a-c .,"'@()äß-]{1,8}`)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		for _, n := range rapid.SliceOfN(name, 1, 6).Draw(rt, "names") {
			if n == "." || n == ".." {
				continue
			}
			must(t, os.WriteFile(filepath.Join(dir, n), nil, 0o644))
		}
		lead := rapid.SampledFrom([]string{"", "see ", "(", "a\n"}).Draw(rt, "lead")
		start, words := Complete(dir, lead+"@")
		if start != len(lead) {
			rt.Fatalf("start %d, want %d", start, len(lead))
		}
		for _, w := range words {
			found := Find(dir, lead+w+" and more")
			if len(found) != 1 || found[0].Start != len(lead) || found[0].End != len(lead)+len(w) {
				rt.Fatalf("%q is offered, found: %+v", w, found)
			}
		}
	})
}

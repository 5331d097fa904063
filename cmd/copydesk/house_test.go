package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"copydesk/config"
	"copydesk/core"
)

// The rules of the house, held over the whole module.

const (
	root   = "../.."
	module = "copydesk"

	fileLines         = 400 // lines of a source file
	functionLines     = 60  // lines of a function: reported
	functionLinesFail = 80  // lines of a function: refused
)

// pkg is what `go list -json` says of a package.
type pkg struct {
	ImportPath string
	Deps       []string
	Imports    []string
	Error      *struct{ Err string }
}

// goList gives our packages, by their folder below the module.
func goList(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Deps,Imports,Error", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the packages: %v", err)
	}
	packages := map[string]pkg{}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	return packages
}

// within reports whether an import path is one of the given paths or below one.
func within(path string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool {
		return path == r || strings.HasPrefix(path, r+"/")
	})
}

// refused says why a package in a folder may not depend on an import path, or
// nothing. Dependencies are counted with those behind them.
func refused(folder, path string) string {
	ours := within(path, module)
	path = strings.TrimPrefix(path, module+"/")
	switch {
	case within(folder, "core") && ours && !within(path, "core"):
		return "core knows no other folder of ours"
	case within(folder, "core") && !ours && within(path, "github.com/gdamore/tcell", "github.com/rivo/tview", "github.com/spf13/viper"):
		return "core knows no screen and no configuration"
	case within(folder, "core") && !ours && (path == "os/exec" || path == "net"):
		return "core starts no program and opens no connection"
	case within(folder, "platform") && ours && within(path, "ui"):
		return "platform does not know ui"
	case within(folder, "ui") && ours && within(path, "platform"):
		return "ui does not know platform"
	case within(folder, "config") && ours:
		return "config knows none of ours"
	case !within(folder, "cmd") && ours && within(path, "cmd"):
		return "only cmd knows cmd"
	}
	return ""
}

func TestImportRules(t *testing.T) {
	for folder, p := range goList(t) {
		for _, path := range p.Deps {
			if why := refused(folder, path); why != "" && path != p.ImportPath {
				how := "by way of another package"
				if slices.Contains(p.Imports, path) {
					how = "directly"
				}
				t.Errorf("%s depends on %s, %s: %s", folder, path, how, why)
			}
		}
	}
}

// The rules themselves must be able to fail.
func TestImportRulesRefuse(t *testing.T) {
	tests := []struct {
		folder, path string
		refused      bool
	}{
		{"core/panel", "copydesk/ui/view", true},
		{"core", "copydesk/config", true},
		{"core/text", "github.com/gdamore/tcell/v2", true},
		{"core/desk", "os/exec", true},
		{"core/desk", "net", true},
		{"core/desk", "net/url", false},
		{"core/desk", "copydesk/core/panel", false},
		{"platform/term", "copydesk/ui/keys", true},
		{"platform/term", "github.com/gdamore/tcell/v2", false},
		{"ui/view", "copydesk/platform/deliver", true},
		{"ui/view", "copydesk/core/text", false},
		{"config", "copydesk/core", true},
		{"config", "github.com/spf13/viper", false},
		{"ui", "copydesk/cmd/copydesk", true},
		{"cmd/copydesk", "copydesk/ui", false},
	}
	for _, test := range tests {
		if got := refused(test.folder, test.path); (got != "") != test.refused {
			t.Errorf("%s on %s: %q", test.folder, test.path, got)
		}
	}
}

// The settings that stand for a limit start from it, though config may not
// know core.
func TestSettingsStartFromTheLimits(t *testing.T) {
	d := config.Default()
	if d.Approval.Quiet != core.QuietGate || d.Clipboard.Timeout != core.ToolTimeout {
		t.Errorf("quiet %v and timeout %v, want %v and %v", d.Approval.Quiet, d.Clipboard.Timeout, core.QuietGate, core.ToolTimeout)
	}
}

// source is one Go file of ours that is part of the product.
type source struct {
	name string // below the root, with slashes
	file *ast.File
	set  *token.FileSet
}

// sources parses every Go file that is neither a test nor generated.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err == nil && !ast.IsGenerated(file) {
			list = append(list, source{filepath.ToSlash(name), file, set})
		}
		return err
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	if len(list) < 5 {
		t.Fatalf("only %d source files were found", len(list))
	}
	return list
}

// Every goroutine starts through one function that restores the terminal when
// it panics (T65); it lives in platform/term. What only tests use may do as
// tests do.
func TestNoBareGoStatement(t *testing.T) {
	for _, s := range sources(t) {
		if strings.HasPrefix(s.name, "platform/term/") || strings.HasPrefix(s.name, "ui/uitest/") {
			continue
		}
		for _, at := range bareGo(s.file) {
			t.Errorf("%s:%d: a bare go statement; start it through the injected Go", s.name, s.set.Position(at).Line)
		}
	}
}

func TestBareGoStatementIsFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() { func() { go f() }() }", 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(bareGo(file)); n != 1 {
		t.Errorf("found %d go statements, want 1", n)
	}
}

func bareGo(file *ast.File) []token.Pos {
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			found = append(found, g.Pos())
		}
		return true
	})
	return found
}

// Nothing registers itself: what there is, is built in cmd.
func TestNoInitFunction(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s:%d: func init", s.name, s.set.Position(f.Pos()).Line)
			}
		}
	}
}

func TestNamesSayWhatTheyAre(t *testing.T) {
	vague := []string{"Manager", "Helper", "Util", "Common"}
	for _, s := range sources(t) {
		check := func(kind, name string) {
			for _, word := range vague {
				if strings.Contains(name, word) || strings.EqualFold(name, word) || strings.EqualFold(name, word+"s") || name == "types" {
					t.Errorf("%s: the %s name %s says nothing", s.name, kind, name)
				}
			}
		}
		check("package", s.file.Name.Name)
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				check("type", spec.Name.Name)
			}
			return true
		})
	}
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.set.File(s.file.Pos()).LineCount(); n > fileLines {
			t.Errorf("%s has %d lines, more than %d", s.name, n, fileLines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			first, last := s.set.Position(f.Pos()).Line, s.set.Position(f.End()).Line
			switch n := last - first + 1; {
			case n > functionLinesFail:
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.name, first, f.Name.Name, n, functionLinesFail)
			case n > functionLines:
				t.Logf("%s:%d: %s has %d lines, more than %d", s.name, first, f.Name.Name, n, functionLines)
			}
		}
	}
}

// Every target that the Makefile is asked for has a help text.
func TestMakefileExplainsItsTargets(t *testing.T) {
	f, err := os.Open(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	explained := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.Contains(rest, "## ") {
			explained[name] = true
		}
	}
	for _, name := range strings.Fields("help run test race fuzz bench e2e e2e-deps lint check build clean") {
		if !explained[name] {
			t.Errorf("make %s has no ## text", name)
		}
	}
}

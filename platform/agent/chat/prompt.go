package chat

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"copydesk/core"
	"copydesk/platform/agent/mention"
)

// maxQuoted is how much all files that a prompt names may add to it, in bytes;
// one of them adds core.CommandOutput at most.
const maxQuoted = 4 * core.CommandOutput

// system is what the model is told before all else.
func system(dir string) string {
	return fmt.Sprintf(`You are an assistant in a terminal (copydesk). The user reads your answers as Markdown source, and copies commands and code out of them.
The working folder is %s, on %s. Paths are relative to it.
Read files instead of guessing what is in them. The user is asked before each command and each change of a file; when one is rejected, do not try the same in another way.`, dir, runtime.GOOS)
}

// quote puts the files that a prompt names with @ behind it (AGT 5). What
// cannot be put there is said, to the user as well.
func (t *turn) quote(prompt string) string {
	dir := t.a.options.Dir
	found := mention.Find(dir, prompt)
	if len(found) == 0 {
		return prompt
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return prompt
	}
	defer root.Close()
	var b strings.Builder
	b.WriteString(prompt)
	seen := map[string]bool{}
	room := maxQuoted
	for _, m := range found {
		if seen[m.Abs] {
			continue
		}
		seen[m.Abs] = true
		name := filepath.FromSlash(path.Clean(m.Path))
		text, err := excerpt(root, name, 1, 0, min(room, core.CommandOutput))
		if room == 0 {
			err = fmt.Errorf("does not fit: the files that were named before it are %d bytes", maxQuoted)
		}
		if err != nil {
			t.note("@%s was not added to the prompt: it %v.", m.Path, err)
			fmt.Fprintf(&b, "\n\n(The content of %s is not added: it %v.)", m.Path, err)
			continue
		}
		room -= min(room, len(text))
		fmt.Fprintf(&b, "\n\n%s:\n%s", m.Path, fenced(text, strings.TrimPrefix(path.Ext(m.Path), ".")))
	}
	return b.String()
}

// fenced quotes a text so that nothing in it ends the quotation.
func fenced(text, lang string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.ContainsAny(lang, "` \t\n") {
		lang = ""
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + lang + "\n" + text + fence
}

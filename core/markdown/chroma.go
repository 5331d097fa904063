package markdown

import (
	"embed"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"

	"copydesk/core/text"
)

// lexerFiles are the definitions of the languages, from chroma (COPYING is its
// licence; go.xml is ours). The package chroma/v2/lexers is not imported: it
// reads all of its 280 languages when a program starts, 14 ms and 2.7 MB.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

// maxCodeLine is the longest line that is highlighted, in bytes: a lexer's
// regular expressions may need time that grows with its square.
const maxCodeLine = 4 << 10

// A ChromaHighlighter finds the tokens of code with alecthomas/chroma. Every
// method may be called from any goroutine.
type ChromaHighlighter struct {
	load   sync.Once
	lexers map[string]chroma.Lexer // by name, alias and file extension, in lower case
}

// Chroma returns a highlighter for the common languages. They are read when
// the first block is highlighted, and each is compiled at its first block.
func Chroma() *ChromaHighlighter { return new(ChromaHighlighter) }

// Highlight returns the tokens of each line as spans; nil when the language is
// unknown or a line is too long. Only the lengths and types of chroma's tokens
// are used: a lexer may change the text, and from the first byte on that
// differs the rest stays plain.
func (h *ChromaHighlighter) Highlight(language string, lines []string) (spans [][]text.Span) {
	h.load.Do(h.readLexers)
	lexer := h.lexers[languageName(language)]
	if lexer == nil || len(lines) == 0 {
		return nil
	}
	size := 0
	for _, line := range lines {
		if len(line) > maxCodeLine {
			return nil
		}
		size += len(line) + 1
	}
	spans = make([][]text.Span, len(lines))
	// A lexer that fails on odd code panics (chroma, LexerState.Iterator). What
	// it found until then is kept.
	defer func() { _ = recover() }()
	var code strings.Builder
	code.Grow(size)
	for _, line := range lines {
		code.WriteString(line)
		code.WriteByte('\n')
	}
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code.String())
	if err != nil {
		return nil
	}
	w := spanWriter{code: code.String(), spans: spans}
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if !w.write(token.Value, tokenStyle(token.Type)) {
			break
		}
	}
	return spans
}

// A spanWriter cuts tokens into the spans of lines.
type spanWriter struct {
	code  string // what has not been reached
	spans [][]text.Span
	line  int
}

// write adds a token; false: it is not what the code goes on with.
func (w *spanWriter) write(token string, style text.Style) bool {
	if !strings.HasPrefix(w.code, token) {
		return false
	}
	w.code = w.code[len(token):]
	for token != "" {
		n := strings.IndexByte(token, '\n')
		if n < 0 {
			n = len(token)
		}
		if n > 0 {
			w.add(n, style)
		}
		if n == len(token) {
			return true
		}
		w.line++
		token = token[n+1:]
	}
	return true
}

func (w *spanWriter) add(n int, style text.Style) {
	spans := w.spans[w.line]
	if last := len(spans) - 1; last >= 0 && spans[last].Style == style {
		spans[last].Len += n
		return
	}
	w.spans[w.line] = append(spans, text.Span{Len: n, Style: style})
}

// languageName takes the name out of info words like "Go", "{.python" and
// "js{1,3}".
func languageName(info string) string {
	info = strings.TrimLeft(info, "{.")
	if n := strings.IndexAny(info, ",{}:;="); n >= 0 {
		info = info[:n]
	}
	switch info = strings.ToLower(info); info {
	case "jsonc", "json5", "ndjson":
		return "json"
	case "mysql", "sqlite", "sqlite3":
		return "sql"
	case "shell-session", "terminal":
		return "console"
	}
	return info
}

// readLexers reads names and aliases; the rules are read when a lexer is used.
func (h *ChromaHighlighter) readLexers() {
	h.lexers = make(map[string]chroma.Lexer)
	registry := chroma.NewLexerRegistry()
	files, err := lexerFiles.ReadDir("lexers")
	if err != nil {
		return
	}
	for _, file := range files {
		lexer, err := chroma.NewXMLLexer(lexerFiles, "lexers/"+file.Name())
		if err != nil {
			continue
		}
		registry.Register(lexer)
		config := lexer.Config()
		h.name(config.Name, lexer)
		for _, alias := range config.Aliases {
			h.name(alias, lexer)
		}
	}
	for _, lexer := range registry.Lexers {
		for _, pattern := range lexer.Config().Filenames {
			if extension, ok := strings.CutPrefix(pattern, "*."); ok {
				h.name(extension, lexer)
			}
		}
	}
}

// name makes a lexer known; the first one to have a name keeps it.
func (h *ChromaHighlighter) name(name string, lexer chroma.Lexer) {
	name = strings.ToLower(name)
	if h.lexers[name] == nil {
		h.lexers[name] = lexer
	}
}

// tokenStyle is what a type of token means. Types without a meaning of their
// own take that of their category.
func tokenStyle(t chroma.TokenType) text.Style {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException:
		return text.TypeName
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameDecorator, chroma.NameAttribute:
		return text.Function
	case chroma.NameTag, chroma.NameKeyword, chroma.OperatorWord, chroma.CommentPreproc, chroma.CommentPreprocFile, chroma.KeywordConstant:
		return text.Keyword
	case chroma.NameProperty:
		return text.TypeName
	case chroma.GenericDeleted:
		return text.Removed
	case chroma.GenericInserted:
		return text.Added
	case chroma.GenericSubheading:
		return text.Hunk
	case chroma.GenericPrompt:
		return text.Muted
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return text.Keyword
	case t.InCategory(chroma.Comment):
		return text.Comment
	case t.InCategory(chroma.Operator):
		return text.Operator
	case t.InSubCategory(chroma.String):
		return text.String
	case t.InSubCategory(chroma.Number):
		return text.Number
	}
	return text.Code
}

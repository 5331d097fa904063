package pick

import (
	"strings"
)

// A commandLine is one command of a code block: its text and the lines of the
// code it stands in, both included; skip is how many bytes of prompt stand
// before it.
type commandLine struct {
	from, to int
	skip     int
	text     string
}

// commands finds the command lines of a code block: in a transcript what
// follows a prompt, in a script its lines.
func commands(language string, code []string) []commandLine {
	root := false
	switch strings.ToLower(language) {
	case "console", "terminal", "shell-session", "shellsession", "sh-session":
		root = true
	case "sh", "bash", "zsh", "fish", "ksh", "dash", "shell":
		if len(transcript(code, false)) == 0 {
			return script(code)
		}
	case "":
	default:
		return nil
	}
	return transcript(code, root)
}

// transcript finds what was typed at a prompt. The one of root is a comment's
// sign, too, so it counts only where nothing but a transcript can stand.
func transcript(code []string, root bool) []commandLine {
	var out []commandLine
	for i := 0; i < len(code); i++ {
		bare := strings.TrimLeft(code[i], " ")
		prompt := len(bare) > 2 && bare[1] == ' ' && (bare[0] == '$' || root && (bare[0] == '#' || bare[0] == '%'))
		if !prompt {
			continue
		}
		typed := strings.TrimLeft(bare[2:], " ")
		if typed == "" {
			continue
		}
		c := commandLine{from: i, skip: len(code[i]) - len(typed)}
		parts := []string{typed}
		for goesOn(parts[len(parts)-1]) && i+1 < len(code) {
			i++
			parts = append(parts, strings.TrimPrefix(code[i], "> "))
		}
		c.to, c.text = i, strings.Join(parts, "\n")
		out = append(out, c)
	}
	return out
}

// compound is a line that opens or goes on with something that a single line of
// it would not be: a loop, a branch, a function, a text.
var compound = lazily(`^\s*(if|for|while|until|case|select|function|do|then|else|elif|fi|done|esac)\b|<<|[{(]\s*$|^\s*[)}]`)

// script finds the commands of a script that stand on lines of their own. Of a
// script with more than that, only the whole makes sense.
func script(code []string) []commandLine {
	var out []commandLine
	for i := 0; i < len(code); i++ {
		line := strings.TrimLeft(code[i], " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		c := commandLine{from: i, skip: len(code[i]) - len(line)}
		parts := []string{line}
		for goesOn(parts[len(parts)-1]) && i+1 < len(code) {
			i++
			parts = append(parts, code[i])
		}
		c.to, c.text = i, strings.Join(parts, "\n")
		if compound().MatchString(c.text) || openQuote(c.text) {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// goesOn reports whether the command does not end with the line.
func goesOn(line string) bool {
	line = strings.TrimRight(line, " \t")
	for _, end := range []string{`\`, "|", "&&"} {
		if strings.HasSuffix(line, end) {
			return true
		}
	}
	return false
}

// openQuote reports whether a quote is open at the end of a command.
func openQuote(s string) bool {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

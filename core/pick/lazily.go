package pick

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is first asked for: most runs pick nothing,
// and the start should not wait for it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

package chat

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// plainError is a sentence for the user: it names the thing and, where there is
// one, the next step.
type plainError string

func (e plainError) Error() string { return string(e) }

func say(sentence string) error { return plainError(sentence) }

func sayf(format string, args ...any) error { return plainError(fmt.Sprintf(format, args...)) }

// errOver ends a turn without a word: the user ended it, or nobody listens.
var errOver = errors.New("the turn is over")

const (
	// maxRetries is how often a request is repeated.
	maxRetries = 4

	// firstWait is the wait before the first repetition; it doubles.
	firstWait = time.Second

	// maxWait is the longest wait that a server may ask for.
	maxWait = 2 * time.Minute

	// maxSaid is how much of a server's message is shown, in bytes.
	maxSaid = 500
)

// A failure is a request that came to nothing, or an answer that broke off.
type failure struct {
	server, model, keyEnv string

	keyed   bool // a key was sent
	status  int  // of HTTP; 0: there was none
	header  http.Header
	codes   []string // the server's words for it
	message string   // the server's sentence
	spoken  bool     // the answer was JSON
	err     error    // the connection's
	cut     bool     // the stream ended before the model did
	strange bool     // the answer was nothing that is known
}

// Error is what the user reads.
func (f *failure) Error() string {
	s := f.sentence()
	if said := f.said(); said != "" {
		s += " The server says: " + said
	}
	return s
}

func (f *failure) sentence() string {
	switch {
	case f.err != nil:
		return f.connection()
	case f.brokeOff():
		return "The answer of " + f.server + " was cut off before the model had finished. Ask it to go on."
	case f.strange:
		return f.server + " answered with something else than a chat. Check that the base URL is the one of an OpenAI-compatible API; it usually ends in /v1."
	case f.tooLong():
		return "The conversation is longer than the model's context. Ask in a new pane (/new), or name fewer files."
	case f.spent():
		return f.server + " says that the account's quota is used up. See the account, or choose another agent with /agent."
	}
	return f.refusal()
}

// refusal says what a status means and what to do about it.
func (f *failure) refusal() string {
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s refused the key (%d). %s", f.server, f.status, f.keyHint())
	case http.StatusNotFound:
		if f.spoken && f.model != "" {
			return fmt.Sprintf("%s does not know the model %q (404). /model lists those that it has.", f.server, f.model)
		}
		return "There is no OpenAI-compatible API at " + f.server + " (404). Check the base URL; it usually ends in /v1."
	case http.StatusTooManyRequests:
		return f.server + " takes no more requests for now (429). Try again in a while."
	case 0:
		return f.server + " broke the answer off with an error."
	}
	if f.status >= 500 {
		return fmt.Sprintf("%s has failed (%d %s). Try again; its own log says more.", f.server, f.status, http.StatusText(f.status))
	}
	return fmt.Sprintf("%s refused the request (%d %s).", f.server, f.status, http.StatusText(f.status))
}

func (f *failure) keyHint() string {
	switch {
	case f.keyEnv != "" && !f.keyed:
		return "Set the variable " + f.keyEnv + " to your key and start again."
	case f.keyEnv != "":
		return "Set the variable " + f.keyEnv + " to a key that is valid there."
	case f.keyed:
		return "Check the command that prints the key in the configuration."
	}
	return "Name the variable that holds your key with key_env in the configuration."
}

// connection says why there was no answer.
func (f *failure) connection() string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var cert x509.CertificateInvalidError
	switch {
	case errors.Is(f.err, syscall.ECONNREFUSED):
		return "Nothing listens at " + f.server + " (connection refused). Is the server running there?"
	case errors.As(f.err, &dns):
		return fmt.Sprintf("The host %q is not found. Check the base URL and the network.", dns.Name)
	case errors.As(f.err, &unknown), errors.As(f.err, &host), errors.As(f.err, &cert):
		return fmt.Sprintf("The certificate of %s is not trusted: %v.", f.server, cause(f.err))
	case f.cut:
		return fmt.Sprintf("The connection to %s broke before the model had finished: %v. Ask it to go on.", f.server, cause(f.err))
	}
	return fmt.Sprintf("No answer from %s: %v.", f.server, cause(f.err))
}

// cause is a transport's error without the URL in front, which can hold a
// secret.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// said is the server's message as it is shown, in one line.
func (f *failure) said() string {
	s := strings.Join(strings.Fields(f.message), " ")
	if len(s) > maxSaid {
		s = strings.ToValidUTF8(s[:maxSaid], "") + "…"
	}
	if s != "" && !strings.ContainsRune(".!?…", []rune(s)[len([]rune(s))-1]) {
		s += "."
	}
	return s
}

// forget takes the key out of what the server says: some repeat it (T37).
func (f *failure) forget(key string) {
	if f.keyed = key != ""; !f.keyed {
		return
	}
	f.message = strings.ReplaceAll(f.message, key, "[key]")
	for i := range f.codes {
		f.codes[i] = strings.ReplaceAll(f.codes[i], key, "[key]")
	}
}

// has reports whether the server's message or codes hold one of the words.
func (f *failure) has(words ...string) bool {
	all := strings.ToLower(f.message + " " + strings.Join(f.codes, " "))
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(all, w) })
}

// tooLong reports whether the request did not fit into the model's context
// (the words of OpenAI, llama.cpp, vLLM and LM Studio).
func (f *failure) tooLong() bool {
	return f.err == nil && f.has("context_length", "context length", "context size", "exceed_context", "context window", "context the overflows", "context overflow", "prompt is too long")
}

func (f *failure) spent() bool { return f.status == 429 && f.has("insufficient_quota") }

// toolless reports whether the model cannot have tools (Ollama, llama.cpp
// without --jinja, vLLM without --enable-auto-tool-choice).
func (f *failure) toolless() bool {
	return f.status >= 400 && f.has("does not support tools", "tools param requires", "tool choice requires", "tool use is not supported", "no endpoints found that support tool use")
}

// uncounted reports whether the server does not know how to report usage.
func (f *failure) uncounted() bool {
	return (f.status == 400 || f.status == 422) && f.has("stream_options", "include_usage")
}

// unlisted reports whether the server has no list of models.
func (f *failure) unlisted() bool {
	return f.status == 404 || f.status == 405 || f.status == 501
}

// passing reports whether the same request may succeed later.
func (f *failure) passing() bool {
	if f.err != nil {
		var dns *net.DNSError
		var op *net.OpError
		return !errors.Is(f.err, context.Canceled) && (!errors.As(f.err, &dns) || !dns.IsNotFound) &&
			(errors.As(f.err, &op) || f.cut || broken(f.err))
	}
	switch f.header.Get("X-Should-Retry") {
	case "true":
		return true
	case "false":
		return false
	}
	switch f.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return !f.spent()
	}
	return (f.status >= 500 && f.status != http.StatusNotImplemented || f.brokeOff()) && !f.tooLong() && !f.toolless()
}

// brokeOff reports whether a stream ended early without a word.
func (f *failure) brokeOff() bool { return f.cut && f.status == 0 && f.message == "" }

// wait is how long to wait before the next of the repetitions, which count from
// 0: what the server asks for, or a back-off.
func (f *failure) wait(repetition int, now time.Time, jitter float64) time.Duration {
	if d, ok := f.retryAfter(now); ok {
		return d
	}
	d := firstWait << repetition
	return d - time.Duration(jitter*float64(d)/4)
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110 §10.2.3), and
// what OpenAI sends in milliseconds.
func (f *failure) retryAfter(now time.Time) (time.Duration, bool) {
	for _, h := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		v := strings.TrimSpace(f.header.Get(h.name))
		if n, err := strconv.ParseFloat(v, 64); err == nil && n >= 0 {
			return time.Duration(math.Min(n*float64(h.unit), float64(math.MaxInt64/2))), true
		}
	}
	if at, err := http.ParseTime(f.header.Get("Retry-After")); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

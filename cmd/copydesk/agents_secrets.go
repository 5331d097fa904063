package main

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretName matches the names of variables, and of what is logged, whose
// values nobody else may read.
var secretName = regexp.MustCompile(`(?i)(^|[_.-])(api_?key|access_?key|private_?key|key|token|secret|passw(or)?d|passphrase|credentials?|authorization|cookie)s?($|[_.-])`)

// secretLength is the shortest text that counts as a secret, in bytes: hiding
// shorter ones would tear other words apart.
const secretLength = 8

const hidden = "[hidden]"

// secrets are texts that no log may show (T37). Its methods are safe from any
// goroutine.
type secrets struct {
	mu     sync.RWMutex
	values []string // the longest first, so that none hides a part of another
}

// newSecrets takes the values of those variables of an environment whose names
// are secret ones'.
func newSecrets(environ []string) *secrets {
	s := &secrets{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		s.addNamed(name, value)
	}
	return s
}

// addNamed adds a variable's value when its name says that it is secret.
func (s *secrets) addNamed(name, value string) {
	if secretName.MatchString(name) {
		s.add(value)
	}
}

func (s *secrets) add(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(value) < secretLength || slices.Contains(s.values, value) {
		return
	}
	s.values = append(s.values, value)
	slices.SortStableFunc(s.values, func(a, b string) int { return len(b) - len(a) })
}

// list gives what is hidden so far, for a crash report.
func (s *secrets) list() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.values)
}

// hide replaces every secret in a text.
func (s *secrets) hide(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.values {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}

// logger gives a logger that hides secrets before they reach l's handler.
func (s *secrets) logger(l *slog.Logger) *slog.Logger {
	return slog.New(discreet{l.Handler(), s})
}

// discreet is a handler that hides secrets by value and by name.
type discreet struct {
	slog.Handler
	secrets *secrets
}

// Handle hides the secrets of a record.
func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, d.secrets.hide(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(d.secrets.attr(a))
		return true
	})
	return d.Handler.Handle(ctx, clean)
}

// WithAttrs hides the secrets of attributes that every record gets.
func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = d.secrets.attr(a)
	}
	return discreet{d.Handler.WithAttrs(clean), d.secrets}
}

// WithGroup keeps hiding within a group.
func (d discreet) WithGroup(name string) slog.Handler {
	return discreet{d.Handler.WithGroup(name), d.secrets}
}

func (s *secrets) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		members := v.Group()
		clean := make([]slog.Attr, len(members))
		for i, m := range members {
			clean[i] = s.attr(m)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	}
	if secretName.MatchString(a.Key) {
		return slog.String(a.Key, hidden)
	}
	text := v.String()
	if b, ok := v.Any().([]byte); ok {
		text = string(b)
	} else if v.Kind() == slog.KindAny {
		text = fmt.Sprintf("%+v", v.Any())
	}
	if clean := s.hide(text); clean != text {
		return slog.String(a.Key, clean)
	}
	return slog.Attr{Key: a.Key, Value: v}
}

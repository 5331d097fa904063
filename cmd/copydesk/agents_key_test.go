package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"copydesk/config"
	"copydesk/platform/term"
)

const sentinel = "sk-SENTINEL9"

func TestTheKeyOfAChat(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are shell scripts")
	}
	r := rosterOf(t, "", "DEMO_API_KEY= "+sentinel+" ", "EMPTY=", "TWO="+sentinel+"\nx")
	sh := func(script string) config.Argv { return config.Argv{"/bin/sh", "-c", script} }
	for _, tc := range []struct {
		name      string
		o         config.OpenAI
		want, err string
	}{
		{"a variable", config.OpenAI{KeyEnv: "DEMO_API_KEY"}, sentinel, ""},
		{"a variable that is not set", config.OpenAI{KeyEnv: "EMPTY"}, "", "the variable EMPTY is not set"},
		{"two lines in a variable", config.OpenAI{KeyEnv: "TWO"}, "", "the key holds a character that no key has"},
		{"a command", config.OpenAI{KeyCommand: sh("echo " + sentinel)}, sentinel, ""},
		{"the first line of a command", config.OpenAI{KeyCommand: sh("printf '" + sentinel + "\\r\\nuser: ada\\n'")}, sentinel, ""},
		{"a command that fails", config.OpenAI{KeyCommand: sh("echo " + sentinel + "; echo " + sentinel + " >&2; exit 3")}, "", "get the key: /bin/sh ended with exit status 3"},
		{"a command that prints nothing", config.OpenAI{KeyCommand: sh("echo")}, "", "get the key: /bin/sh printed nothing"},
		{"a command that is not there", config.OpenAI{KeyCommand: config.Argv{"/no/such/program"}}, "", "get the key: "},
		{"an escape", config.OpenAI{KeyCommand: sh("printf '" + sentinel + "\\033[2J'")}, "", "the key holds a character that no key has"},
	} {
		key, err := r.key(tc.o)(t.Context())
		if key != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
			t.Errorf("%s: %q, %v", tc.name, key, err)
		}
		if err != nil && strings.Contains(err.Error(), "SENTINEL") {
			t.Errorf("%s: the key is said: %v", tc.name, err)
		}
	}
	if r.key(config.OpenAI{}) != nil {
		t.Error("a key is asked for where none is needed")
	}
}

// A key command that goes on for ever ends with the context, whatever it has
// started.
func TestAKeyCommandIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell script")
	}
	r := rosterOf(t, "")
	begun := filepath.Join(t.TempDir(), "begun")
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		until(t, "the command", func() bool { _, err := os.Stat(begun); return err == nil })
		stop()
	}()
	_, err := r.printed(ctx, []string{"/bin/sh", "-c", ": >'" + begun + "'; sleep 60 & sleep 60"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// secretive prints its secret however it is asked.
type secretive struct{ Inner string }

func (s secretive) LogValue() slog.Value { return slog.StringValue(s.Inner) }

func TestT37_NoSecretReachesTheLog(t *testing.T) {
	var out bytes.Buffer
	s := newSecrets([]string{"DEMO_API_KEY=" + sentinel, "GITHUB_TOKEN=ghp_0123456789", "KEYBOARD=sk-harmless", "SHORT_KEY=abc", "PATH=/usr/bin"})
	s.add("printed-by-a-command")
	log := s.logger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log = log.With("stderr", "the agent said "+sentinel).WithGroup("g").With("token", "by name only")
	log.Debug("started with "+sentinel,
		"error", fmt.Errorf("bad key ghp_0123456789"), "bytes", []byte(sentinel), "value", secretive{sentinel},
		"struct", struct{ Key string }{sentinel}, slog.Group("deeper", "text", "printed-by-a-command", "api_key", "never seen"),
		"harmless", "sk-harmless abc", "n", 7,
	)
	got := out.String()
	for _, secret := range []string{sentinel, "SENTINEL", "ghp_", "printed-by", "by name only", "never seen"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is in the log: %s", secret, got)
		}
	}
	for _, want := range []string{"started with [hidden]", "the agent said [hidden]", "g.error=\"bad key [hidden]\"", "sk-harmless abc", "g.n=7"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the log: %s", want, got)
		}
	}
}

func TestT37_NoSecretReachesACrashReport(t *testing.T) {
	dir := t.TempDir()
	var errs bytes.Buffer
	guard := term.NewGuard(term.GuardOptions{
		CrashDir: dir, Hide: newSecrets([]string{"DEMO_API_KEY=" + sentinel}).list(), Stderr: &errs, Exit: func(int) {},
	})
	guard.Run(func() { panic("the agent said " + sentinel) })
	reports, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(reports) != 1 {
		t.Fatal(reports, err)
	}
	data, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data) + errs.String(); strings.Contains(text, "SENTINEL") || !strings.Contains(text, "the agent said") {
		t.Errorf("the report is %s", text)
	}
}

func TestT37_TheLongerSecretIsHiddenWhole(t *testing.T) {
	s := newSecrets(nil)
	s.add("abcdefgh")
	s.add("abcdefgh-ijklmnop")
	s.add("short")
	if got := s.hide("x abcdefgh-ijklmnop y abcdefgh short"); got != "x [hidden] y [hidden] short" {
		t.Errorf("it became %q", got)
	}
}

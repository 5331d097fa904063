package acp

import (
	"encoding/json"
	"strings"
	"testing"

	"copydesk/platform/agent/acp/rpc"
)

func TestT37_SecretsAreTakenOutOfTexts(t *testing.T) {
	o := Options{Environ: []string{"PATH=/usr/bin", "DEMO_API_KEY=sk-SENTINEL9", "GITHUB_TOKEN=old-value", "SHORT_KEY=abc"}, Env: map[string]string{"GITHUB_TOKEN": "sk-SENTINEL9-longer"}}
	a := New(o)
	got := a.masks.Replace("bad key sk-SENTINEL9, token sk-SENTINEL9-longer, /usr/bin, abc")
	if want := "bad key [DEMO_API_KEY], token [GITHUB_TOKEN], /usr/bin, abc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if e := strings.Join(o.environ(), " "); strings.Contains(e, "old-value") || !strings.Contains(e, "GITHUB_TOKEN=sk-SENTINEL9-longer") {
		t.Errorf("the environment is %s", e)
	}
}

func TestErrorsSayWhatMatters(t *testing.T) {
	for _, tc := range []struct {
		message, data, want string
	}{
		{"the model is overloaded", ``, "the model is overloaded (error 1)"},
		{`{"error":{"message":"bad key","code":400}}`, ``, "bad key (error 1)"},
		{`[{"error":1}]`, ``, `[{"error":1}] (error 1)`},
		{"Internal error", `{"details":"no such model"}`, "Internal error: no such model (error 1)"},
		{"Internal error", `"no such model"`, "Internal error: no such model (error 1)"},
		{"Internal error", `{"data":{"message":"{\"message\":\"deep\"}"}}`, "Internal error: deep (error 1)"},
		{"same", `{"message":"same"}`, "same (error 1)"},
		{"", ``, "it does not say why (error 1)"},
		{"", `{"odd":7}`, `{"odd":7} (error 1)`},
	} {
		if got := refusal(&rpc.Error{Code: 1, Message: tc.message, Data: json.RawMessage(tc.data)}); got != tc.want {
			t.Errorf("%q with %q: %q, want %q", tc.message, tc.data, got, tc.want)
		}
	}
}

func TestR4_LastWordsAreFewAndPlain(t *testing.T) {
	raw := strings.Repeat("noise\n", 1000) + "\x1b[31mred\x1b[0m \x1b]0;title\x07and\x08 more\n\n" + strings.Repeat("y", 1000) + "\n"
	lines := strings.Split(lastLines(raw), "\n")
	if len(lines) != lastWords || lines[lastWords-2] != "red and more" || len(lines[lastWords-1]) > wordBytes+len("…") {
		t.Errorf("the last words are %q", lines)
	}
}

func TestSentences(t *testing.T) {
	for in, want := range map[string]string{"it broke": "It broke.", "it broke!": "It broke!", "codex-ACP exited": "codex-ACP exited.", "": "", "Ende": "Ende."} {
		if got := sentence(in); got != want {
			t.Errorf("sentence(%q) = %q, want %q", in, got, want)
		}
	}
}

package config

import (
	"runtime"
	"strings"
	"testing"
)

func TestCFG3_Paths(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the paths here are those of other systems")
	}
	type place func(func(string) string) (string, error)
	tests := []struct {
		name  string
		place place
		env   []string
		want  string
		err   string
	}{
		{"config by XDG", Path, []string{"XDG_CONFIG_HOME=/x", "HOME=/h"}, "/x/copydesk/config.yaml", ""},
		{"config by HOME", Path, []string{"HOME=/h"}, "/h/.config/copydesk/config.yaml", ""},
		{"config without HOME", Path, nil, "", "set HOME to your home folder, or name the file with --config"},
		{"config, relative XDG", Path, []string{"XDG_CONFIG_HOME=x", "HOME=/h"}, "", `XDG_CONFIG_HOME is "x", which is no absolute path`},
		{"config, relative HOME", Path, []string{"HOME=h"}, "", "HOME is no absolute path"},
		{"state by XDG", StateDir, []string{"XDG_STATE_HOME=/x", "HOME=/h"}, "/x/copydesk", ""},
		{"state by HOME", StateDir, []string{"HOME=/h"}, "/h/.local/state/copydesk", ""},
		{"state without HOME", StateDir, nil, "", "neither XDG_STATE_HOME nor HOME is set: set HOME to your home folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.place(environment(test.env...))
			switch {
			case test.err == "" && err != nil:
				t.Error(err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want %q in it", err, test.err)
			case got != test.want:
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPathsOfOtherSystems(t *testing.T) {
	env := environment("HOME=/h", "AppData=/a")
	folders := map[string][]string{"windows": {"AppData"}, "darwin": {"HOME", "Library"}, "": {"HOME", ".config"}}
	for system, want := range map[string]string{"windows": "/a", "darwin": "/h/Library", "freebsd": "/h/.config"} {
		got, err := userDir(env, system, "XDG_CONFIG_HOME", folders)
		if err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q %v", system, got, err)
		}
	}
}

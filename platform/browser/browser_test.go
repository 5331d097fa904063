package browser

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestT31_OnlyWebAddressesAreOpened holds what is started, where, and with
// what.
func TestT31_OnlyWebAddressesAreOpened(t *testing.T) {
	display := map[string]string{"DISPLAY": ":0"}
	tests := []struct {
		name, goos, address string
		env                 map[string]string
		argv                []string // nil: nothing is started
		err                 error    // of those that are started nowhere; nil: any
	}{
		{"linux", "linux", "https://example.org/a?b=c", display, []string{"/bin/xdg-open", "https://example.org/a?b=c"}, nil},
		{"wayland", "linux", "http://example.org", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, []string{"/bin/xdg-open", "http://example.org"}, nil},
		{"darwin", "darwin", "https://example.org", nil, []string{"/bin/open", "https://example.org"}, nil},
		{"windows", "windows", "https://example.org", nil, []string{"/bin/rundll32", "url.dll,FileProtocolHandler", "https://example.org"}, nil},
		{"no desktop", "linux", "https://example.org", nil, nil, ErrNoDesktop},
		{"over SSH", "linux", "https://example.org", map[string]string{"DISPLAY": ":0", "SSH_CONNECTION": "x"}, nil, ErrNoDesktop},
		{"file", "linux", "file:///etc/passwd", display, nil, nil},
		{"script", "linux", "javascript:alert(1)", display, nil, nil},
		{"ssh", "linux", "ssh://host", display, nil, nil},
		{"an option", "linux", "--help", display, nil, nil},
		{"no host", "linux", "https:///path", display, nil, nil},
		{"nothing", "linux", "", display, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var argv []string
			b := Browser{
				GOOS:     test.goos,
				Env:      func(name string) string { return test.env[name] },
				LookPath: func(name string) (string, error) { return "/bin/" + name, nil },
				Run:      func(c *exec.Cmd) error { argv = c.Args; return nil },
			}
			err := b.Open(context.Background(), test.address)
			if diff := cmp.Diff(test.argv, argv); diff != "" {
				t.Error(diff)
			}
			if (test.argv == nil) != (err != nil) || test.err != nil && !errors.Is(err, test.err) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

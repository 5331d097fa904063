package deliver

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"copydesk/core"
	"copydesk/core/clipboard"
)

// A fakeLibrary is a native clipboard library as the owner sees it.
type fakeLibrary struct {
	env     map[string]string
	wayland bool
	fails   bool
	given   map[string]int // bytes by back end
	lost    chan struct{}
	clock   chan time.Time
	life    time.Duration
}

func newFakeLibrary(display string, wayland bool) *fakeLibrary {
	return &fakeLibrary{
		env:     map[string]string{"DISPLAY": display},
		wayland: wayland,
		given:   map[string]int{},
		lost:    make(chan struct{}, 1),
		clock:   make(chan time.Time, 1),
	}
}

func (f *fakeLibrary) owner(goos string) owner {
	return owner{
		goos: goos,
		init: func() error {
			if goos == "linux" && !f.wayland && f.env["DISPLAY"] == "" {
				return errors.New("clipboard: unavailable")
			}
			return nil
		},
		write: func(p []byte) ([]<-chan struct{}, error) {
			backend := "x11"
			if f.wayland {
				backend = "wayland"
			}
			if f.fails || backend == "x11" && goos == "linux" && f.env["DISPLAY"] == "" {
				return nil, errors.New("clipboard: unavailable")
			}
			f.given[backend] = len(p)
			return []<-chan struct{}{f.lost}, nil
		},
		getenv: func(name string) string { return f.env[name] },
		setenv: func(name, value string) error { f.env[name] = value; return nil },
		after: func(d time.Duration) <-chan time.Time {
			f.life = d
			return f.clock
		},
	}
}

func (f *fakeLibrary) serve(goos, body string) (answer string, status int) {
	var out strings.Builder
	status = f.owner(goos).serve(strings.NewReader(body), &out)
	return out.String(), status
}

// The library wraps the request length above 262,116 bytes on X11, and the X
// server executes bytes of the text.
func TestX11IsNeverHandedMoreThanItCarries(t *testing.T) {
	f := newFakeLibrary(":9", false)
	f.lost <- struct{}{}
	if answer, _ := f.serve("linux", strings.Repeat("x", core.X11NativeBytes)); answer != "ok x11\n" || f.given["x11"] != core.X11NativeBytes {
		t.Errorf("%q, %v", answer, f.given)
	}

	f = newFakeLibrary(":9", false)
	answer, status := f.serve("linux", strings.Repeat("x", 262_117))
	if want := "err x11 262117 B is more than the 262116 B it carries whole\n"; answer != want || status == 0 {
		t.Errorf("%q (%d), want %q", answer, status, want)
	}
	if len(f.given) > 0 {
		t.Errorf("the library was given %v", f.given)
	}

	rapid.Check(t, func(t *rapid.T) {
		f := newFakeLibrary(rapid.SampledFrom([]string{"", ":0", ":9"}).Draw(t, "display"), rapid.Bool().Draw(t, "wayland"))
		f.lost <- struct{}{}
		n := rapid.IntRange(1, 600_000).Draw(t, "bytes")
		f.serve("linux", strings.Repeat("x", n))
		if f.given["x11"] > core.X11NativeBytes {
			t.Errorf("the library was given %v on X11", f.given)
		}
		if f.wayland && f.given["wayland"] != n {
			t.Errorf("the library was given %v on Wayland, want %d", f.given, n)
		}
	})
}

func TestOwnerServesUntilItIsReplaced(t *testing.T) {
	t.Run("another program copies", func(t *testing.T) {
		f := newFakeLibrary("", true)
		f.lost <- struct{}{}
		if answer, status := f.serve("linux", "hi"); answer != "ok wayland\n" || status != 0 {
			t.Errorf("%q, %d", answer, status)
		}
	})
	t.Run("nobody does", func(t *testing.T) {
		f := newFakeLibrary(":9", false)
		f.clock <- time.Time{}
		if answer, status := f.serve("linux", "hi"); answer != "ok x11\n" || status != 0 {
			t.Errorf("%q, %d", answer, status)
		}
		if f.life != 24*time.Hour {
			t.Errorf("it serves %v", f.life)
		}
	})
	t.Run("the system keeps the text", func(t *testing.T) {
		for goos, want := range map[string]string{"darwin": "ok macos\n", "windows": "ok windows\n"} {
			f := newFakeLibrary("", false)
			if answer, status := f.serve(goos, "hi"); answer != want || status != 0 {
				t.Errorf("%s: %q, %d", goos, answer, status)
			}
		}
	})
}

func TestOwnerThatCannotOwn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		goos    string
		display string
		wayland bool
		want    string
	}{
		{"a compositor without data-control", "linux", "", false, "err wayland the compositor gives no access to its clipboard\n"},
		{"an X server that refuses", "linux", ":9", false, "err x11 cannot reach the X server :9\n"},
		{"a compositor that refuses", "linux", ":9", true, "err wayland the compositor did not take it: clipboard: unavailable\n"},
		{"macOS", "darwin", "", false, "err macos clipboard: unavailable\n"},
	} {
		f := newFakeLibrary(tt.display, tt.wayland)
		f.fails = true
		if answer, status := f.serve(tt.goos, "hi"); answer != tt.want || status != 1 {
			t.Errorf("%s: %q (%d), want %q", tt.name, answer, status, tt.want)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add("ok x11\n")
	f.Add("err wayland the compositor gives no access to its clipboard\n")
	f.Add("ok\n")
	f.Add("err x11\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		route, err := parseAnswer(line)
		switch route {
		case clipboard.RouteX11, clipboard.RouteWayland, clipboard.RouteMac, clipboard.RouteWindows:
		case "":
			if err == nil {
				t.Errorf("%q: taken by no route", line)
			}
		default:
			t.Errorf("%q: taken by %q", line, route)
		}
		if err == nil && !strings.HasPrefix(strings.TrimSpace(line), "ok ") {
			t.Errorf("%q: taken as a success", line)
		}
	})
}

func TestAnOwnerServesUntilBothSelectionsAreLost(t *testing.T) {
	for name, tt := range map[string]struct {
		lost, released bool
	}{"both are lost": {lost: true}, "released": {released: true}} {
		o := newFakeLibrary(":9", false).owner("linux")
		selection, primary, released := make(chan struct{}), make(chan struct{}), make(chan struct{})
		o.released = released
		o.write = func([]byte) ([]<-chan struct{}, error) { return []<-chan struct{}{selection, primary}, nil }
		ended := make(chan int)
		go func() { ended <- o.serve(strings.NewReader("x"), io.Discard) }()
		// The send is taken once the owner waits for this selection, and it does
		// not end with it.
		selection <- struct{}{}
		select {
		case <-ended:
			t.Errorf("%s: the primary selection was given up with the clipboard", name)
		default:
		}
		if tt.lost {
			close(primary)
		}
		if tt.released {
			close(released)
		}
		if status := <-ended; status != 0 {
			t.Errorf("%s: status %d", name, status)
		}
	}
}

//go:build e2e && unix

package deliver

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"copydesk/core/clipboard"
	"copydesk/platform/deliver/route"
)

// TestE2E_ASelectionLeavesTheClipboardAlone sets the primary selection of a real
// X server and reads both back.
func TestE2E_ASelectionLeavesTheClipboardAlone(t *testing.T) {
	startX(t)
	if got := copyAndExit(t, "the clipboard"); got != "x11=owned" {
		t.Fatal(got)
	}
	d := New(Options{
		Env: os.Getenv, LookPath: exec.LookPath, Exe: self(t), Go: func(f func()) { go f() },
		Route: route.OnlyNative, Limit: patient, Selection: true,
	})
	receipt := d.Copy(context.Background(), "what the mouse selected")
	if receipt.Best() != clipboard.Owned {
		t.Fatalf("the selection was not taken: %+v", receipt)
	}
	primary := func() string {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		out, _ := exec.CommandContext(ctx, "xclip", "-out", "-selection", "primary").Output()
		return string(out)
	}
	until(t, "the selection can be pasted", func() bool { return primary() == "what the mouse selected" })
	if got := pasted(t); got != "the clipboard" {
		t.Errorf("the clipboard became %q", got)
	}
	// More than the library may be given on X11 goes to a tool, whole.
	big := strings.Repeat("y", 300_000)
	if receipt := d.Copy(context.Background(), big); receipt.Best() != clipboard.Owned {
		t.Fatalf("the large selection was not taken: %+v", receipt)
	}
	until(t, "the large selection can be pasted", func() bool { return primary() == big })
	if got := pasted(t); got != "the clipboard" {
		t.Errorf("the clipboard became %q", got)
	}
}

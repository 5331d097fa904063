package main

import (
	"encoding/json"
	"strings"
	"testing"

	"copydesk/platform/deliver"
)

// TestCLI_DoctorWithoutATerminal holds that the doctor writes no escape sequence
// to what is no terminal, and ends with 1 where nothing can arrive.
func TestCLI_DoctorWithoutATerminal(t *testing.T) {
	code, stdout, stderr := start(t, t.TempDir(), "doctor")
	if code != exitFailed || stderr != "" || !strings.Contains(stdout, "there is no terminal to write to") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	if strings.Contains(stdout, "\x1b") {
		t.Error("an escape byte was written")
	}
	code, stdout, _ = start(t, t.TempDir(), "doctor", "--json")
	var report deliver.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitFailed || report.Works != deliver.WorksNot {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
	if code, _, stderr := start(t, t.TempDir(), "doctor", "now"); code != exitRefused || !strings.Contains(stderr, "now") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

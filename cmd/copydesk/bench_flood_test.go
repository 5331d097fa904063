package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// floodMiB is how much an agent says in BenchmarkFlood.
const floodMiB = 1024

// BenchmarkFlood is P19: an agent says 1 GB. The budgets are 100 MB of memory
// at most at any time, and 16 ms from a key to its echo at the 99th percentile.
func BenchmarkFlood(b *testing.B) {
	needsProc(b, "smaps_rollup", "status")
	d := newBed(b)
	config := filepath.Join(d.home, "config.yaml")
	text := fmt.Sprintf("agent: crier\nagents:\n  crier:\n    command: [%q]\n", filepath.Join(d.bin, "crier"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		desk := d.sit(desktop, "--config", config)
		desk.until("Connected")
		desk.watch(settled)
		began := desk.types(fmt.Sprintf("out %d\r", floodMiB))
		desk.until("link")
		var keys sample
		for n := range 100 {
			letter, last := key(n)
			keys.add(desk.echo(letter, last))
		}
		ended := desk.until("the flood has ended")
		desk.watch(settled)
		b.ReportMetric(floodMiB/ended.Sub(began).Seconds(), "MiB/s")
		b.ReportMetric(float64(desk.number(desk.proc("status"), "VmHWM"))/1024, "MiB-most")
		b.ReportMetric(desk.mebibytes("Pss"), "MiB-after")
		for _, p := range []int{50, 99} {
			keys.report(b, fmt.Sprintf("key-p%d-ms", p), p)
		}
		desk.leave()
	}
	machine(b)
}

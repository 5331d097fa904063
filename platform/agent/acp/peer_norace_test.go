//go:build unix && !race

package acp_test

const raceEnabled = false

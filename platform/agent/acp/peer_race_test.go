//go:build unix && race

package acp_test

// raceEnabled makes the heavy tests lighter.
const raceEnabled = true

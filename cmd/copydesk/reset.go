package main

import (
	"errors"

	"copydesk/platform/term"

	"github.com/spf13/cobra"
)

// newReset is the command that mends a terminal after a kill that could not be
// caught (R20).
func newReset(p process) *cobra.Command {
	return &cobra.Command{
		Use: "reset", Short: "Repair a terminal that a killed program left broken", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			err := term.Repair(p.stdout, p.env, "The terminal is as it should be.")
			var missing *term.NotATerminal
			if errors.As(err, &missing) {
				return exit{exitRefused, "there is no terminal here to repair; run copydesk reset in the window that is broken"}
			}
			return err
		},
	}
}

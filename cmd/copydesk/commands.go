package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"copydesk/config"
	"copydesk/ui/keys"

	"github.com/spf13/cobra"
)

// flags are the words that start a desk.
type flags struct {
	agent  string
	db     string
	config string
	resume string // an id, or the newest session
	state  bool   // nothing is done where nothing can be stored
}

// newestSession stands for the session that was used last.
const newestSession = "newest"

// execute runs what the arguments ask for.
func execute(p process) error {
	root := newRoot(p)
	root.SetArgs(p.args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return root.Execute()
}

func newRoot(p process) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "copydesk",
		Short:         "A full-screen console for agents and SQL from which everything can be copied exactly",
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, args []string) error {
			if f.resume == newestSession && len(args) == 1 { // --resume ID, which cobra reads as a word of its own
				f.resume, args = args[0], nil
			}
			if err := noArgs(c, args); err != nil {
				return err
			}
			return startDesk(p, f, given(c))
		},
	}
	root.Flags().StringVar(&f.agent, "agent", "", agentHelp)
	root.Flags().StringVar(&f.db, "db", "", "the playground's database `FILE`; \":memory:\" keeps nothing")
	root.Flags().StringVar(&f.resume, "resume", "", "go on with a stored session: the one of `ID`, or the newest one of this folder")
	root.Flags().Lookup("resume").NoOptDefVal = newestSession
	root.Flags().BoolVar(&f.state, "require-state", false, "do not start where sessions cannot be stored (exit code 3)")
	root.PersistentFlags().StringVar(&f.config, "config", "", "the configuration `FILE`")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return exit{exitRefused, fmt.Sprintf("%v; copydesk --help lists the flags", err)}
	})
	root.AddCommand(
		newRun(p, &f), newAgents(p, &f), newSessions(p), newConfig(p, &f), newKeys(p, &f), newDoctor(p, &f), newReset(p), newVersion(p),
	)
	return root
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit{exitRefused, fmt.Sprintf("%q is no command; copydesk --help lists them", strings.Join(args, " "))}
	}
	return nil
}

// given are the flags that were given, by the path of their setting.
func given(c *cobra.Command) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"agent", "db"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			out[name] = f.Value.String()
		}
	}
	return out
}

func newVersion(p process) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, "copydesk "+version)
			return err
		},
	}
}

func newKeys(p process, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "List every action with the keys that are in force", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := load(p, *f, nil)
			if err != nil {
				return err
			}
			m, _ := keys.Compile(c.Keys.Map())
			out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			for _, r := range m.Rows() {
				fmt.Fprintf(out, "%s\t%s\t%s\n", r.Action, r.Keys, r.Help)
			}
			return out.Flush()
		},
	}
}

func newConfig(p process, f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check the configuration, or say where it is", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use: "check", Short: "Report everything that is wrong with the configuration", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				if _, err := load(p, *f, nil); err != nil {
					return err
				}
				_, err := fmt.Fprintln(p.stdout, "The configuration is fine.")
				return err
			},
		},
		&cobra.Command{
			Use: "path", Short: "Print where the configuration file is", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				path := f.config
				if path == "" {
					var err error
					if path, err = config.Path(p.env); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintln(p.stdout, path)
				return err
			},
		},
	)
	return c
}

// options say where the configuration comes from and what else checks it.
func options(p process, f flags, given map[string]any) config.Options {
	return config.Options{Path: f.config, Env: p.env, Flags: given, Checks: []config.Check{checkKeys, checkAgent}}
}

// load reads the configuration. Whatever is wrong with it comes back at once,
// as one error with a line for each problem.
func load(p process, f flags, given map[string]any) (config.Config, error) {
	c, problems, err := config.Load(options(p, f, given))
	if err != nil {
		return c, err
	}
	if len(problems) > 0 {
		return c, exit{exitRefused, listed(problems)}
	}
	return c, nil
}

func listed(problems []config.Problem) string {
	lines := []string{fmt.Sprintf("the configuration has %d problem(s):", len(problems))}
	for _, problem := range problems {
		lines = append(lines, "  "+problem.String())
	}
	return strings.Join(lines, "\n")
}

// checkKeys has the key table judge the keys of a configuration.
func checkKeys(c config.Config) []config.Problem {
	_, found := keys.Compile(c.Keys.Map())
	var out []config.Problem
	for _, problem := range found {
		if !problem.Warning {
			out = append(out, config.Problem{Path: "keys." + string(problem.Action), Text: problem.Text})
		}
	}
	return out
}

// checkAgent sees that the agent to open is one that there can be.
func checkAgent(c config.Config) []config.Problem {
	if c.Agent == "" || knownName(c.Agent, c) {
		return nil
	}
	return []config.Problem{{Path: "agent", Text: noSuchAgent(c.Agent, c)}}
}

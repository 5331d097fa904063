package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// Path is the configuration file when none is named: copydesk/config.yaml
// below the folder that os.UserConfigDir would give for this environment, with
// XDG_CONFIG_HOME heard on every system. env is os.Getenv or stands in for it.
func Path(env func(string) string) (string, error) {
	dir, err := userDir(env, runtime.GOOS, "XDG_CONFIG_HOME", map[string][]string{
		"windows": {"AppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".config"},
	})
	if err != nil {
		return "", fmt.Errorf("find the configuration file: %w, or name the file with --config", err)
	}
	return filepath.Join(dir, "copydesk", "config.yaml"), nil
}

// StateDir is the folder for what the program remembers: the log, the history,
// the playground's database. It is $XDG_STATE_HOME/copydesk, by default
// ~/.local/state/copydesk. It need not exist. env is os.Getenv or stands in
// for it.
func StateDir(env func(string) string) (string, error) {
	dir, err := userDir(env, runtime.GOOS, "XDG_STATE_HOME", map[string][]string{
		"windows": {"LocalAppData"},
		"":        {"HOME", ".local", "state"},
	})
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(dir, "copydesk"), nil
}

// userDir is the folder in the XDG variable, else the one made of a variable
// and the folders below it, by system ("" for all others). A relative folder
// is refused, as the XDG base directory specification asks: it would be
// another one in each working directory.
func userDir(env func(string) string, system, xdg string, otherwise map[string][]string) (string, error) {
	if dir := env(xdg); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s is %q, which is no absolute path: set it to one or unset it", xdg, dir)
		}
		return dir, nil
	}
	parts, ok := otherwise[system]
	if !ok {
		parts = otherwise[""]
	}
	base := env(parts[0])
	if base == "" {
		return "", fmt.Errorf("neither %s nor %s is set: set %s to your home folder", xdg, parts[0], parts[0])
	}
	if !filepath.IsAbs(base) {
		return "", errors.New(parts[0] + " is no absolute path: set it to your home folder")
	}
	return filepath.Join(append([]string{base}, parts[1:]...)...), nil
}

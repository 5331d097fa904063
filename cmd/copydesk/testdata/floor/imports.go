//go:build imports

package main

// With the tag imports the floor starts and links what copydesk does, and does
// nothing with it. What copydesk takes beyond it is our own work.
import (
	_ "github.com/alecthomas/chroma/v2"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/viper"
	_ "golang.design/x/clipboard"
	_ "modernc.org/sqlite"
)

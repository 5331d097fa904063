// Floor is the smallest program of its kind: an output that is drawn at most
// once in 33 ms when it has changed, and below it a field that echoes keys. It
// is what the benchmarks measure copydesk beside.
//
// Its argument is a file. Enter streams the file into the output: after "paced"
// at 200 chunks a second, after "full" as fast as it goes.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

const (
	frame = 33 * time.Millisecond
	pace  = time.Second / 200
	chunk = 16 // bytes
	lines = 1000
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run() error {
	var content []byte
	if len(os.Args) > 1 {
		var err error
		if content, err = os.ReadFile(os.Args[1]); err != nil {
			return err
		}
	}
	app := tview.NewApplication()
	changed := make(chan struct{}, 1)
	output := tview.NewTextView().SetMaxLines(lines).ScrollToEnd().SetChangedFunc(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	output.SetBorder(true)
	field := tview.NewInputField().SetLabel("❯ ").SetFieldBackgroundColor(tcell.ColorDefault)
	field.SetDoneFunc(func(key tcell.Key) {
		if key != tcell.KeyEnter {
			return
		}
		go stream(output, content, field.GetText() == "paced")
		field.SetText("")
	})
	go func() {
		for range changed {
			app.QueueUpdateDraw(func() {})
			time.Sleep(frame)
		}
	}()
	root := tview.NewFlex().SetDirection(tview.FlexRow).AddItem(output, 0, 1, false).AddItem(field, 1, 0, true)
	return app.SetRoot(root, true).EnablePaste(true).Run()
}

// stream writes content in chunks.
func stream(output *tview.TextView, content []byte, paced bool) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for len(content) > 0 {
		n := min(chunk, len(content))
		if paced {
			<-tick.C
		}
		if _, err := output.Write(content[:n]); err != nil {
			panic(err)
		}
		content = content[n:]
	}
}

// Package term is the real terminal below tcell and tview: it opens it,
// repairs what tcell v2.13.10 and tview v0.42.0 leave broken (bracketed
// paste, hostile input sequences, shutdown under load, 0×0 sizes), writes to
// it under one lock, and brings it back to a sane state however the program
// ends.
//
// Three rules hold everywhere. Every byte for the terminal passes the locked
// tty, one Write per sequence. Every goroutine starts through Guard.Go. The
// way back to a clean terminal (Terminal.Restore) takes no lock of tcell or
// tview, so that it works from any goroutine at any moment.
package term

package term

// A device is the terminal below tcell: its modes, its size, and the job
// control of its session. It has a handle of its own, so that it works while
// tcell's is closed or stuck. Methods are safe from any goroutine.
type device interface {
	// size is the window size in cells, as the device says it.
	size() (w, h int, err error)
	// captureRaw remembers the present modes for setRaw.
	captureRaw()
	setRaw()
	// restoreModes sets the modes from before Open; it does nothing in the
	// background, where the modes are the shell's.
	restoreModes()
	// write sends p without waiting more than writeLimit; what the terminal
	// does not take by then is lost.
	write(p []byte)
	// flushInput drops what was typed and not yet read.
	flushInput()
	// foreground tells whether the terminal is ours to read and write; an
	// error says that it is gone.
	foreground() (bool, error)
	// canStop tells whether a shell may be waiting to take over.
	canStop() bool
	// stop stops the process group like Ctrl+Z does in cooked mode.
	stop() error
	// ignoreTTOU lets a background process change modes without being stopped.
	ignoreTTOU(on bool)
	// watchSize calls back after each change of the size, until quit.
	watchSize(call func(), quit <-chan struct{})
	// watchContinue calls back after each SIGCONT, until quit.
	watchContinue(call func(), quit <-chan struct{})
	close()
}

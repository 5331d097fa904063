package deliver

import "sync"

// Terminal is where sequences for the user's terminal go.
type Terminal interface {
	// WriteRaw writes p whole, with nothing else in between. It may block for
	// as long as the terminal does not read, and may be called from any
	// goroutine.
	WriteRaw(p []byte) error
}

// A sender writes sequences to a terminal one after the other, from a goroutine
// of its own: a terminal that is stopped (Ctrl+S) blocks the write and not the
// copy. When it reads again, the newest sequence is the last one it gets.
type sender struct {
	terminal Terminal
	start    func(func())

	mu   sync.Mutex
	busy bool
	next *sequence // waits for the one that is being written
}

// A sequence is one write, and the place for its result.
type sequence struct {
	bytes []byte
	done  chan error // capacity 1
}

// send takes a sequence to be written and returns at once. The channel gets the
// result of the write, or errSuperseded if a newer sequence took its place.
func (s *sender) send(p []byte) <-chan error {
	seq := &sequence{bytes: p, done: make(chan error, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.busy {
		s.busy = true
		s.start(func() { s.write(seq) })
		return seq.done
	}
	if s.next != nil {
		s.next.done <- errSuperseded
	}
	s.next = seq
	return seq.done
}

// write writes the sequence, and then those that came meanwhile.
func (s *sender) write(seq *sequence) {
	for seq != nil {
		seq.done <- s.terminal.WriteRaw(seq.bytes)
		s.mu.Lock()
		seq, s.next = s.next, nil
		s.busy = seq != nil
		s.mu.Unlock()
	}
}

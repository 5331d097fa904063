package rpc

import (
	"fmt"

	"copydesk/core"
)

// enqueue adds a line to what is to be written. It never blocks (R7). c.mu is
// held.
func (c *Conn) enqueue(p packet) error {
	if err := c.over(); err != nil {
		return err
	}
	switch {
	case c.broken != nil:
		return c.broken
	case c.queued+len(p.line) > core.WriteQueue:
		return fmt.Errorf("%w: %d MiB wait for it", ErrFull, c.queued>>20)
	}
	c.queue = append(c.queue, p)
	c.queued += len(p.line)
	select {
	case c.bell <- struct{}{}:
	default:
	}
	return nil
}

// write writes what was enqueued until the connection ends.
func (c *Conn) write() {
	for {
		select {
		case <-c.ended:
			return
		case <-c.bell:
		}
		for p, ok := c.next(); ok; p, ok = c.next() {
			if _, err := c.w.Write(p.line); err != nil {
				c.unwritable(p, fmt.Errorf("write to the agent: %w", err))
				return
			}
			c.mu.Lock()
			c.queued = max(0, c.queued-len(p.line)) // finish may have dropped it
			c.mu.Unlock()
		}
	}
}

// next takes the next line to be written.
func (c *Conn) next() (packet, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		c.queue = nil // what was sent must not stay in memory
		return packet{}, false
	}
	p := c.queue[0]
	c.queue[0] = packet{}
	c.queue = c.queue[1:]
	return p, true
}

// unwritable notes that the peer takes no more. What it has said already is
// still read: the last words of a program that has ended wait in a pipe. Only
// the requests that did not reach it fail.
func (c *Conn) unwritable(current packet, err error) {
	c.mu.Lock()
	c.broken = err
	var lost []call
	for _, p := range append([]packet{current}, c.queue...) {
		if waiting, ok := c.calls[p.id]; ok {
			delete(c.calls, p.id)
			lost = append(lost, waiting)
		}
	}
	c.queue, c.queued = nil, 0
	c.mu.Unlock()

	c.log.Debug("nothing can be sent to the agent any more", "error", err)
	for _, call := range lost {
		call.done(nil, unanswered(call, err))
	}
}

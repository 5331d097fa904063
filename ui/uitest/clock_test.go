package uitest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClockFiresInOrder(t *testing.T) {
	c := NewClock()
	start := c.Now()
	var fired []string
	at := func(name string) func() {
		return func() { fired = append(fired, name+c.Now().Sub(start).String()) }
	}
	c.AfterFunc(3*time.Second, at("c "))
	c.AfterFunc(time.Second, func() {
		at("a ")()
		c.AfterFunc(time.Second, at("chained "))
	})
	c.AfterFunc(time.Second, at("b "))
	stopped := c.AfterFunc(time.Second, at("never "))
	if !stopped.Stop() || stopped.Stop() {
		t.Error("Stop does not say whether it stopped")
	}
	c.Advance(999 * time.Millisecond)
	if fired != nil {
		t.Errorf("fired too early: %q", fired)
	}
	c.Advance(1001 * time.Millisecond)
	c.Advance(time.Second)
	if diff := cmp.Diff([]string{"a 1s", "b 1s", "chained 2s", "c 3s"}, fired); diff != "" {
		t.Error(diff)
	}
	if got := c.Now().Sub(start); got != 3*time.Second || c.Pending() != 0 {
		t.Errorf("the clock shows %v, %d timers pending", got, c.Pending())
	}
}

func TestClockTimerFitsAnInterfaceOfItsConsumer(t *testing.T) {
	var clock interface {
		Now() time.Time
		AfterFunc(time.Duration, func()) interface{ Stop() bool }
	} = NewClock()
	if clock.AfterFunc(0, func() {}).Stop() != true {
		t.Error("a timer that never fired was not stopped")
	}
}

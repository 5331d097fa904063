package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"copydesk/core"
)

// sentence says why nothing can be saved, and what to do.
func sentence(err error) string {
	why := reason(err)
	return strings.ToUpper(why[:1]) + why[1:]
}

func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.text
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "the folder of the sessions may not be written. Change its mode; the work goes on and is saved then."
	case errors.Is(err, errLocked):
		return "another program has this session. Close it there; the work goes on and is saved then."
	}
	return fmt.Sprintf("%s. Look after the disk; the work goes on and is saved when it can be.", strings.ReplaceAll(err.Error(), "\n", "; "))
}

// fail notes that something could not be written. A file that cannot be trusted
// any more is left at once, once; everything else waits for the retry. j.mu is
// held.
func (j *Journal) fail(err error) {
	j.tries++
	j.moves = false
	j.store.o.Log.Warn("the session cannot be saved", "session", j.id, "reason", err)
	j.failing(sentence(err))
	if j.tries == 1 && errors.Is(err, errLeft) {
		return
	}
	j.held = true
	j.answer(fmt.Errorf("save session %s: %w", j.id, err))
	if j.closing {
		j.closeErr = fmt.Errorf("close session %s: %w", j.id, err)
		return
	}
	j.set(&j.retries, core.JournalRetry, func() {
		j.held, j.flush, j.syncDue = false, true, true
		j.draftDue = j.draftDue || j.draftOld
	})
}

func (j *Journal) failing(text string) {
	if j.health.Failing == "" {
		j.health.Since = j.store.o.Now()
	}
	if j.health.Failing != text {
		j.health.Failing = text
		j.changed = true
	}
}

// recovered notes that the disk takes what is written again. j.mu is held.
func (j *Journal) recovered() {
	if j.dirty || j.draftBad || len(j.lines) > 0 && !j.moves {
		return
	}
	j.tries = 0
	j.retries.cancel()
	if j.health.Failing != "" {
		j.health.Failing, j.health.Since = "", time.Time{}
		j.changed = true
	}
}

// stall sets the alarm of a disk that does not answer: nothing of what waits has
// reached it for core.JournalStalled (R51). j.mu is held.
func (j *Journal) stall() {
	if j.held || j.closing {
		return
	}
	j.set(&j.stalls, core.JournalStalled, func() {
		if j.health.Failing != "" {
			return
		}
		j.failing("The disk does not answer. The work goes on and is saved when it does.")
	})
}

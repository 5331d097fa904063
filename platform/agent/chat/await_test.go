package chat

import (
	"context"
	"errors"
	"testing"

	"copydesk/core/session"
)

// TestT48_AnApprovalOfATurnThatIsStoppedCountsNoMore has the user approve and
// end the turn before the agent has looked.
func TestT48_AnApprovalOfATurnThatIsStoppedCountsNoMore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	reply := make(chan session.Answer, 1)
	for _, a := range []session.Answer{{Verdict: session.Approve}, {Verdict: session.Chosen, Value: "x"}, {Verdict: session.Reject}} {
		reply <- a
		got, _, err := (&turn{ctx: ctx}).await(reply, nil)
		if rejects := a.Verdict == session.Reject; errors.Is(err, errOver) == rejects || rejects && got.Verdict != a.Verdict {
			t.Errorf("%+v gives %+v, %v", a, got, err)
		}
	}
}

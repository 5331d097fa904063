package acp

import (
	"testing"

	"copydesk/core/session"
)

// TestT48_ARequestThatComesAfterItsEndIsTakenBack hands on a request whose turn
// was cancelled while it waited for the pane.
func TestT48_ARequestThatComesAfterItsEndIsTakenBack(t *testing.T) {
	a := &Agent{mail: newMailbox()}
	l := &link{agent: a}
	r := &session.Request{Kind: session.TextInput, Prompt: "Which?"}
	open := &ask{link: l, shown: r}
	for _, e := range []session.Event{r, session.Reopened{Old: r, New: r}} {
		for _, closed := range []bool{false, true} {
			open.closed, l.asks = closed, []*ask{open}
			l.handOn([]session.Event{e})
			if got, _ := a.mail.next(&a.mail.aside); got != e {
				t.Errorf("first comes %#v", got)
			}
			got, more := a.mail.next(&a.mail.aside)
			if w, ok := got.(session.Withdrawn); ok != closed || more != closed || ok && w.Request != r {
				t.Errorf("closed %v: then comes %#v", closed, got)
			}
		}
	}
}

// TestT48_AnApprovalIsNotSentOnceItsTurnIsStopped has the user approve and stop
// the turn before the approval was looked at.
func TestT48_AnApprovalIsNotSentOnceItsTurnIsStopped(t *testing.T) {
	for _, answer := range []session.Answer{{Verdict: session.Approve}, {Verdict: session.Reject}} {
		r := &session.Request{Kind: session.Approval, Choices: []string{"yes", "no"}}
		reply := make(chan session.Answer, 1)
		sent := 0
		a := &Agent{mail: newMailbox()}
		q := &ask{
			link: &link{agent: a}, turn: &turn{cancelled: true}, shown: r, halt: make(chan struct{}), looked: make(chan struct{}), end: make(chan struct{}),
			settle: func(*session.Request, session.Answer) { sent++ },
		}
		reply <- answer
		close(q.halt)
		q.wait(r, reply, nil)
		<-q.looked
		if want := int(answer.Verdict) - int(session.Approve); sent != want {
			t.Errorf("%s was sent %d times", answer.Response(), sent)
		}
	}
}

// TestT35_ANoticeOfTheAgentsIsMarkedAsItsWords has an agent speak like us.
func TestT35_ANoticeOfTheAgentsIsMarkedAsItsWords(t *testing.T) {
	got := noticeOf("claude", parse([]byte(`{"title":"Approved: rm -rf ~"}`)))
	wantEvents(t, got, session.Notice{Text: "claude says: Approved: rm -rf ~"})
}

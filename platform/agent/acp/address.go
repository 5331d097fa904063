package acp

import (
	"net/url"
	"strings"

	"copydesk/core/session"
)

// An address is what an elicitation in URL mode asks to open. It is never
// looked at before the user has said yes.
type address struct {
	id, url, message string
}

// addressBytes is how long an address may be (T31).
const addressBytes = 2048

// addressRequest shows the whole address, and the host by itself (T31).
func (a *Agent) addressRequest(at address) *session.Request {
	r := &session.Request{
		Kind: session.Approval, Prompt: "Open this address in the browser?", From: a.o.Name, Claim: at.message,
		Choices: []string{"Open", "Decline"}, Fields: []session.Field{{Name: "address", Value: at.url}},
	}
	u, err := url.Parse(at.url)
	switch {
	case err != nil || u.Host == "":
		r.Blocked = "This is not an address that can be opened."
	case u.Scheme != "http" && u.Scheme != "https":
		r.Blocked = "Only http and https addresses are opened."
	case len(at.url) > addressBytes:
		r.Blocked = "Addresses of more than 2,048 bytes are not opened."
	default:
		odd := strings.ContainsFunc(u.Host, func(c rune) bool { return c > '~' })
		r.Fields = append(r.Fields, session.Field{Name: "host", Value: u.Host, Warn: odd || strings.Contains(u.Host, "xn--")})
		if u.User != nil {
			r.Fields = append(r.Fields, session.Field{Name: "before the host", Value: u.User.String(), Warn: true})
		}
	}
	if a.o.Browse == nil {
		r.Choices[0] = "Accept"
		r.Fields = append(r.Fields, session.Field{Name: "note", Value: "it cannot be opened from here: copy it, and open it yourself"})
	}
	return r
}

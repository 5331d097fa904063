package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const (
	// maxComplaint is how much of a server's error is read, in bytes.
	maxComplaint = 64 << 10

	// maxList is how long a server's list of models may be, in bytes.
	maxList = 8 << 20
)

// A server is one place that speaks the API.
type server struct {
	name string // the base URL as it is shown: without user, password and query
	api  openai.Client
	http *http.Client
	own  bool // http is nobody else's
}

// newServer checks a base URL. The client is made without the library's
// constructor, which would take keys and addresses meant for another server out
// of OPENAI_… variables.
func newServer(base string, client *http.Client) (*server, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, say("The base URL is no address of a server. It looks like http://localhost:11434/v1.")
	}
	s := &server{http: client}
	if client == nil {
		// No time limit: a model may take minutes to load before it says anything.
		s.http, s.own = &http.Client{Transport: transport(), CheckRedirect: stay}, true
	}
	s.api = openai.Client{Options: []option.RequestOption{
		option.WithBaseURL(u.String()),
		option.WithHTTPClient(s.http),
		option.WithMaxRetries(0),
		option.WithMiddleware(boundComplaint),
	}}
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	s.name = strings.TrimSuffix(shown.String(), "/")
	return s, nil
}

// stay keeps a conversation from being sent on to somebody else.
func stay(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || len(via) > 5 {
		return errors.New("it redirects to " + req.URL.Scheme + "://" + req.URL.Host + ", which is not the base URL")
	}
	return nil
}

func transport() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return http.DefaultTransport
}

func (s *server) close() {
	if s.own {
		s.http.CloseIdleConnections()
	}
}

// boundComplaint keeps the library from reading an error without an end.
func boundComplaint(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err == nil && res.StatusCode >= 400 {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxComplaint), res.Body}
	}
	return res, err
}

// post sends a request for a chat and returns the answer's beginning, whose
// body is the caller's to close.
func (s *server) post(ctx context.Context, key string, body []byte) (*http.Response, *failure) {
	var res *http.Response
	err := s.api.Post(ctx, "chat/completions", body, &res, option.WithAPIKey(key), option.WithHeader("Accept", "text/event-stream"))
	if err != nil {
		return nil, s.failed(res, err, key)
	}
	return res, nil
}

// list fetches the names of the models.
func (s *server) list(ctx context.Context, key string) ([]string, *failure) {
	var res *http.Response
	if err := s.api.Get(ctx, "models", nil, &res, option.WithAPIKey(key)); err != nil {
		return nil, s.failed(res, err, key)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxList))
	if err != nil {
		return nil, s.failed(nil, err, key)
	}
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, &failure{server: s.name, strange: true}
	}
	names := []string{}
	for _, m := range answer.Data {
		if m.ID != "" && !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	return names, nil
}

// failed says why a request failed. res is nil when there was no answer. Of a
// refusal the library has put back the body that it read.
func (s *server) failed(res *http.Response, err error, key string) *failure {
	f := &failure{server: s.name}
	defer func() { f.forget(key) }()
	if res == nil || res.StatusCode < 400 {
		f.err = err
		return f
	}
	f.status, f.header = res.StatusCode, res.Header
	body, err := io.ReadAll(io.LimitReader(res.Body, maxComplaint))
	res.Body.Close()
	if err == nil {
		f.complain(body)
	}
	return f
}

// complain reads a server's error: an object or a text behind "error", the
// object itself as vLLM sends it, or plain text.
func (f *failure) complain(body []byte) {
	body = bytes.TrimSpace(body)
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
		Code    any             `json:"code"`
		Type    any             `json:"type"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		if !bytes.HasPrefix(body, []byte("<")) && !bytes.HasPrefix(body, []byte("{")) {
			f.message = string(body)
		}
		return
	}
	f.spoken = true
	inner := outer
	if len(outer.Error) > 0 && outer.Error[0] == '{' {
		if err := json.Unmarshal(outer.Error, &inner); err != nil {
			return
		}
	}
	var words string
	if json.Unmarshal(outer.Error, &words) == nil {
		f.message = words
	}
	for _, m := range []any{inner.Message, outer.Detail} {
		if s, ok := m.(string); ok && f.message == "" {
			f.message = s
		}
	}
	for _, c := range []any{inner.Code, inner.Type} {
		switch c := c.(type) {
		case string:
			f.codes = append(f.codes, c)
		case float64:
			if f.status == 0 && c >= 400 && c < 600 {
				f.status = int(c)
			}
		}
	}
}

package known

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"copydesk/core/text"
)

// An Endpoint is a model server on this machine, at the port that it usually
// has.
type Endpoint struct {
	Name    string
	What    string
	BaseURL string
}

// Endpoints are the usual model servers. Nobody else is asked: a name that is
// not this machine's own address never is.
func Endpoints() []Endpoint {
	return []Endpoint{
		{"ollama", "Ollama", "http://127.0.0.1:11434/v1"},
		{"llama-cpp", "llama.cpp", "http://127.0.0.1:8080/v1"},
		{"lm-studio", "LM Studio", "http://127.0.0.1:1234/v1"},
		{"vllm", "vLLM", "http://127.0.0.1:8000/v1"},
	}
}

// ProbeLimit is how long a server may take to list its models.
const ProbeLimit = 300 * time.Millisecond

// An Answer is an endpoint that lists its models.
type Answer struct {
	Endpoint
	Models []string // as the server writes them, without those that no name can be
}

const (
	probeBytes = 1 << 20 // of a list of models
	probeNames = 1000    // models of one server
	nameBytes  = 256     // of one model's name
)

// Probe asks endpoints for their models (GET /models), all at once, each for
// ProbeLimit at most, and gives those that answer with a list, in the order of
// the endpoints. A redirect is not followed. The goroutines are started with
// start and have ended when Probe returns.
func Probe(ctx context.Context, endpoints []Endpoint, client *http.Client, start func(func())) []Answer {
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ctx, cancel := context.WithTimeout(ctx, ProbeLimit)
	defer cancel()
	answers := make([][]string, len(endpoints))
	var wait sync.WaitGroup
	for i, e := range endpoints {
		wait.Add(1)
		start(func() {
			defer wait.Done()
			answers[i], _ = models(ctx, e.BaseURL, &direct) // one that does not answer is not there
		})
	}
	wait.Wait()
	var out []Answer
	for i, e := range endpoints {
		if answers[i] != nil {
			out = append(out, Answer{e, answers[i]})
		}
	}
	return out
}

// models lists the models of one server. The list is not nil when the server
// speaks as model servers do.
func models(ctx context.Context, base string, client *http.Client) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list the models of %s: %s", base, response.Status)
	}
	var list struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, probeBytes)).Decode(&list); err != nil {
		return nil, fmt.Errorf("list the models of %s: %w", base, err)
	}
	if list.Data == nil {
		return nil, fmt.Errorf("list the models of %s: the answer has no data", base)
	}
	names := []string{}
	for _, m := range *list.Data {
		// A name that cannot be shown as it is cannot be chosen either (T30).
		if m.ID == "" || len(m.ID) > nameBytes || text.CleanLine(m.ID) != m.ID || len(names) == probeNames {
			continue
		}
		names = append(names, m.ID)
	}
	return names, nil
}

// Says is what the endpoint is and has, for a list.
func (a Answer) Says() string {
	host := strings.TrimSuffix(strings.TrimPrefix(a.BaseURL, "http://"), "/v1")
	switch len(a.Models) {
	case 0:
		return a.What + " at " + host
	case 1:
		return a.What + " at " + host + ", " + a.Models[0]
	default:
		return fmt.Sprintf("%s at %s, %s and %d more models", a.What, host, a.Models[0], len(a.Models)-1)
	}
}

// Missing says in a sentence what the endpoint lacks; empty when it has a model.
func (a Answer) Missing() string {
	if len(a.Models) > 0 {
		return ""
	}
	if a.Name == "ollama" {
		return "It has no model. Get one: ollama pull qwen3:8b"
	}
	return "It has no model. Load one in " + a.What + "."
}

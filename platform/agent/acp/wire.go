package acp

import "encoding/json"

// version is the protocol's that we speak.
const version = 1

// The methods, as the schema's x-method names them.
const (
	initialize      = "initialize"
	authenticate    = "authenticate"
	sessionNew      = "session/new"
	sessionLoad     = "session/load"
	sessionResume   = "session/resume"
	sessionList     = "session/list"
	sessionClose    = "session/close"
	sessionPrompt   = "session/prompt"
	sessionCancel   = "session/cancel"
	sessionSetMode  = "session/set_mode"
	sessionSetValue = "session/set_config_option"

	sessionUpdate       = "session/update"
	requestPermission   = "session/request_permission"
	elicitationCreate   = "elicitation/create"
	elicitationComplete = "elicitation/complete"
	cancelRequest       = "$/cancel_request"
)

// What we send. An empty object offers a capability, so they are pointers.
type (
	empty struct{}

	initializeRequest struct {
		ProtocolVersion    int                `json:"protocolVersion"`
		ClientInfo         implementation     `json:"clientInfo"`
		ClientCapabilities clientCapabilities `json:"clientCapabilities"`
	}

	implementation struct {
		Name    string `json:"name"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version"`
	}

	// clientCapabilities offer neither fs nor terminal: the agent does both
	// better itself, and nothing can be reached through us (T40).
	clientCapabilities struct {
		Session     sessionCapabilities `json:"session"`
		Auth        authCapabilities    `json:"auth"`
		Elicitation elicitModes         `json:"elicitation"`
		Meta        map[string]bool     `json:"_meta,omitempty"`
	}

	sessionCapabilities struct {
		Compaction    empty             `json:"compaction"`
		ConfigOptions configOptionKinds `json:"configOptions"`
		Notices       empty             `json:"notices"`
	}

	configOptionKinds struct {
		Boolean empty `json:"boolean"`
	}

	authCapabilities struct {
		Terminal bool `json:"terminal"`
	}

	elicitModes struct {
		Form empty `json:"form"`
		URL  empty `json:"url"`
	}

	authenticateRequest struct {
		MethodID string `json:"methodId"`
	}

	// openRequest makes, loads or resumes a session. The list of servers must
	// be there: two agents refuse null.
	openRequest struct {
		SessionID  string  `json:"sessionId,omitempty"`
		Dir        string  `json:"cwd"`
		MCPServers []empty `json:"mcpServers"`
	}

	listRequest struct {
		Dir    string `json:"cwd,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}

	sessionRequest struct {
		SessionID string `json:"sessionId"`
	}

	promptRequest struct {
		SessionID string  `json:"sessionId"`
		Prompt    []block `json:"prompt"`
	}

	block struct {
		Type string  `json:"type"`
		Text *string `json:"text,omitempty"`
		URI  string  `json:"uri,omitempty"`
		Name string  `json:"name,omitempty"`
	}

	setModeRequest struct {
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
	}

	setValueRequest struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
		Type      string `json:"type,omitempty"`
		Value     any    `json:"value"`
	}

	permissionAnswer struct {
		Outcome permissionOutcome `json:"outcome"`
	}

	permissionOutcome struct {
		Outcome  string  `json:"outcome"`
		OptionID *string `json:"optionId,omitempty"`
	}

	elicitationAnswer struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content,omitempty"`
	}
)

// capabilities are what an agent says it can do.
type capabilities struct {
	load, resume, list, close bool
}

// goesOn reports whether the agent can go on with a session of before.
func (c capabilities) goesOn() bool { return c.load || c.resume }

// A method is a way to log in.
type method struct {
	id, name, about string
	kind            string // "agent", "terminal" or a word that we do not know
	args            []string
	env             object
}

// greeting is what an agent answers initialize with.
type greeting struct {
	version *float64 // nil: it does not say
	caps    capabilities
	methods []method
	name    string // of the program; may be empty
}

func readGreeting(raw json.RawMessage) greeting {
	o := parse(raw)
	g := greeting{version: o.number("protocolVersion"), name: o.object("agentInfo").text("name")}
	caps := o.object("agentCapabilities")
	kept := caps.object("sessionCapabilities")
	offers := func(key string) bool { return kept.object(key) != nil || kept.truth(key) }
	g.caps = capabilities{load: caps.truth("loadSession"), resume: offers("resume"), list: offers("list"), close: offers("close")}
	for _, raw := range o.list("authMethods") {
		m := parse(append(json.RawMessage(nil), raw...))
		if m.text("id") == "" {
			continue
		}
		kind := m.text("type")
		if !m.given("type") {
			kind = "agent" // the schema's default
		}
		g.methods = append(g.methods, method{
			id: m.text("id"), name: m.text("name"), about: m.text("description"), kind: kind, args: m.texts("args"), env: m.object("env"),
		})
	}
	return g
}

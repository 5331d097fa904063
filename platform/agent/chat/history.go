package chat

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
)

// A history is what the model is told of the past. The oldest exchanges of a
// long one are left out.
type history struct {
	exchanges []*exchange

	// bytesPerToken is how the server has counted so far; 0: not known.
	bytesPerToken float64
}

// An exchange is one prompt and all that followed it.
type exchange struct {
	messages []openai.ChatCompletionMessageParamUnion
	size     int      // of the messages, in bytes
	open     []string // ids of tool calls that have no result yet
	ends     bool     // the last message is a text of the model's
}

const (
	// guessedBytesPerToken holds until a server has counted. It is low, so
	// that too much is left out rather than too little.
	guessedBytesPerToken = 3

	// maxReserve is how many tokens of the context are kept for the answer, at
	// most; it is a quarter of a small context.
	maxReserve = 4096
)

// begin opens an exchange.
func (h *history) begin(prompt string) *exchange {
	x := &exchange{}
	x.add(openai.UserMessage(prompt))
	h.exchanges = append(h.exchanges, x)
	return x
}

// drop takes the last exchange back: nothing came of it.
func (h *history) drop() { h.exchanges = h.exchanges[:len(h.exchanges)-1] }

func (x *exchange) add(m openai.ChatCompletionMessageParamUnion) {
	x.messages = append(x.messages, m)
	if b, err := json.Marshal(m); err == nil {
		x.size += len(b)
	}
	x.ends = false
}

// said adds what the model said, with the calls it made. The content is never
// left out: some servers insist on one.
func (x *exchange) said(r *reply, calls []*call) {
	m := openai.ChatCompletionAssistantMessageParam{}
	m.Content.OfString = openai.String(r.text.String())
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.id,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.name, Arguments: c.arguments()},
			},
		})
		x.open = append(x.open, c.id)
	}
	x.add(openai.ChatCompletionMessageParamUnion{OfAssistant: &m})
	x.ends = len(calls) == 0
}

// arguments is what goes back to the server, which parses it: what was no JSON
// is an empty object there.
func (c *call) arguments() string {
	if !json.Valid([]byte(c.args.String())) {
		return "{}"
	}
	return c.args.String()
}

// result adds what came of the oldest open call.
func (x *exchange) result(text string) {
	x.add(openai.ToolMessage(text, x.open[0]))
	x.open = x.open[1:]
}

// settle makes the exchange one that a request can go on from: every call has a
// result, and the model had the last word.
func (x *exchange) settle() {
	for len(x.open) > 0 {
		x.result("Not done: the user ended the turn.")
	}
	if !x.ends {
		x.answer("(The user ended the turn here.)")
	}
}

// answer adds a text of the model's that ends the exchange.
func (x *exchange) answer(text string) {
	x.add(openai.AssistantMessage(text))
	x.ends = true
}

// messages are those of all exchanges.
func (h *history) messages() []openai.ChatCompletionMessageParamUnion {
	var all []openai.ChatCompletionMessageParamUnion
	for _, x := range h.exchanges {
		all = append(all, x.messages...)
	}
	return all
}

func (h *history) size() int {
	n := 0
	for _, x := range h.exchanges {
		n += x.size
	}
	return n
}

// fit leaves the oldest exchanges out until the rest and what is sent besides
// fit into a context of so many tokens, and returns how many that are. Once it
// has to, it leaves out enough to make room for a
// while: what stays the same, servers keep in their caches. The last exchange
// always stays.
func (h *history) fit(tokens, besides int) int {
	per := h.bytesPerToken
	if per == 0 {
		per = guessedBytesPerToken
	}
	room := int(float64(tokens-min(tokens/4, maxReserve))*per) - besides
	if tokens <= 0 || h.size() <= room {
		return 0
	}
	n := 0
	for h.size() > room*3/4 && len(h.exchanges) > 1 {
		h.exchanges = h.exchanges[1:]
		n++
	}
	return n
}

// halve leaves out the older half, and returns how many exchanges that are; 0
// when only the last one is left.
func (h *history) halve() int {
	n := len(h.exchanges) / 2
	h.exchanges = h.exchanges[n:]
	return n
}

// counted learns from a server's count what a token is.
func (h *history) counted(bytes, tokens int) {
	if tokens > 0 && bytes > 0 {
		h.bytesPerToken = min(8, max(1, float64(bytes)/float64(tokens)))
	}
}

// Package text is styled text without a screen: it cleans what comes in,
// wraps it to a width, and says how wide it is. It knows no colour and no
// terminal; every function is pure, and safe from any goroutine.
package text

// Style says what a run of text means. The low byte is a role, the bits above
// it are attributes that add to the role. ui/theme turns a style into what a
// terminal can draw.
type Style uint16

// The roles. Journals hold their numbers: new ones come last, before Roles.
const (
	Plain    Style = iota
	Muted          // less important than its surroundings
	Info           // a thing to choose, a prompt, a number to press
	Success        // the ✓ of a finished command
	Failure        // the ✗, an error, a reject button
	Warning        // something to look at twice
	Tag            // [simple], [claude]
	NoteTag        // [system], [tool]
	ErrorTag       // [error]
	Prefix         // the running: and "Executing SQL:" prefixes
	Heading        // a Markdown heading
	Markup         // Markdown delimiters
	CodeSpan       // `code` in prose
	Code           // a code block's plain text
	Link           // the text of a link
	URL            // the target of a link
	Quote          // quoted text
	Bullet         // a list marker
	Border         // table borders and rules
	Header         // a table's header cells
	Null           // a NULL in a table
	Keyword        // tokens of code, from here
	Function
	TypeName
	String
	Number
	Comment
	Operator
	Added   // a line that a diff adds
	Removed // a line that a diff removes
	Hunk    // a diff's hunk header
	Claim   // what an agent says of itself
	Roles   // how many roles there are; not a role
)

// The attributes.
const (
	Bold Style = 1 << (8 + iota)
	Italic
	Underline
	Strike
)

// Role returns the style without its attributes.
func (s Style) Role() Style { return s & 0xff }

// A Span gives a style to the next Len bytes of a line's text.
type Span struct {
	Len   int   `json:"n"`
	Style Style `json:"s,omitempty"`
}

// A Line is one logical line: its text without the line end, and the spans
// that style it from its first byte on. Bytes that no span reaches are Plain.
// The text is what is copied; spans add nothing to it. A Line is a value and
// is never changed once it has been handed out.
type Line struct {
	Text  string `json:"text"`
	Spans []Span `json:"spans,omitempty"`
}

package theme

// Glyphs are the marks that the interface draws. Each is one cell wide.
type Glyphs struct {
	Gutter      string // left of what an agent said
	GutterError string // the same where it failed
	Prompt      string // before what the user types
	Ask         string // before the answer to a text request
	Pointer     string // before the selected row of a list
	Dot         string // between two parts of a title or of the pill
	Bar         string // between two parts of the status bar
	Ellipsis    string // where a label is cut
	More        string // where a row goes on to the right
	Less        string // where a row goes on to the left
	Up          string // there is more above
	Down        string // there is more below
	OK          string // a thing that is well
	Bad         string // a thing that is not
	None        string // nothing is there
	Chosen      string // the one of several that is chosen

	Horizontal, Vertical                       string // the edges of a box
	TopLeft, TopRight, BottomLeft, BottomRight string // its corners
	TeeLeft, TeeRight                          string // a divider meets the left, the right edge
	HorizontalFocus, VerticalFocus             string // the same with the keyboard focus
	TopLeftFocus, TopRightFocus                string
	BottomLeftFocus, BottomRightFocus          string
}

var unicodeGlyphs = Glyphs{
	Gutter: "▎", GutterError: "▌", Prompt: "❯", Ask: "?", Pointer: "❯",
	Dot: "·", Bar: "│", Ellipsis: "…", More: "›", Less: "‹", Up: "↑", Down: "↓",
	OK: "✓", Bad: "✗", None: "–", Chosen: "•",
	Horizontal: "─", Vertical: "│",
	TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘",
	TeeLeft: "├", TeeRight: "┤",
	HorizontalFocus: "━", VerticalFocus: "┃",
	TopLeftFocus: "┏", TopRightFocus: "┓", BottomLeftFocus: "┗", BottomRightFocus: "┛",
}

var asciiGlyphs = Glyphs{
	Gutter: "|", GutterError: "!", Prompt: ">", Ask: "?", Pointer: ">",
	Dot: "-", Bar: "|", Ellipsis: "~", More: ">", Less: "<", Up: "^", Down: "v",
	OK: "+", Bad: "x", None: "-", Chosen: "*",
	Horizontal: "-", Vertical: "|",
	TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
	TeeLeft: "+", TeeRight: "+",
	HorizontalFocus: "=", VerticalFocus: "#",
	TopLeftFocus: "#", TopRightFocus: "#", BottomLeftFocus: "#", BottomRightFocus: "#",
}

// Package osc52 builds the control sequence that sets a terminal's clipboard
// (xterm ctlseqs, "Operating System Commands", 52) in the forms that terminal
// multiplexers let through. It is pure: every function appends to a buffer and
// is safe from any goroutine.
//
// The selection is always the single letter c, the only one that means the
// clipboard everywhere. No function builds a query or an empty payload: a query
// hands the user's clipboard to whoever reads the terminal's input, and an empty
// payload clears the clipboard in some terminals.
package osc52

import (
	"encoding/base64"
	"slices"
)

const (
	head = "]52;c;" // after the first ESC
	dcs  = "Ptmux;" // tmux's passthrough, after its ESC
)

// The longest piece of a sequence that is handed to GNU screen, with its frame
// of four bytes, and what fits into it. Screen loses a piece above 766 bytes
// whole (measured with 4.9.0). Each piece encodes a multiple of three bytes, so
// that only the last one is padded.
const (
	screenPiece = 512
	screenText  = 375
)

// Append appends the plain sequence, ended by ST. An empty text appends
// nothing.
func Append(dst, text []byte) []byte { return AppendTmux(dst, text, 0) }

// AppendTmux appends the sequence wrapped for the given number of nested tmux
// servers, 0 being none. Each level doubles every ESC within it (tmux(1),
// allow-passthrough). An empty text appends nothing.
func AppendTmux(dst, text []byte, levels int) []byte {
	if len(text) == 0 {
		return dst
	}
	frame := len(dcs)*levels + len(head) + (levels + 1) + 2<<(levels+1)
	dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(len(text))+frame)
	for level := range levels {
		dst = append(appendESC(dst, level), dcs...)
	}
	dst = append(appendESC(dst, levels), head...)
	dst = base64.StdEncoding.AppendEncode(dst, text)
	for level := levels; level >= 0; level-- {
		dst = append(appendESC(dst, level), '\\')
	}
	return dst
}

// AppendScreen appends the sequence cut into device control strings of at most
// 512 bytes, which GNU screen hands to its terminal one by one (screen(1),
// "Virtual Terminal"). Within them BEL ends the sequence: an ST would end the
// piece. An empty text appends nothing.
func AppendScreen(dst, text []byte) []byte {
	pieces := (len(text) + screenText - 1) / screenText
	dst = slices.Grow(dst, pieces*screenPiece)
	first := true
	for len(text) > 0 {
		n := min(len(text), screenText)
		dst = append(dst, "\x1bP"...)
		if first {
			dst = append(append(dst, '\x1b'), head...)
			first = false
		}
		dst = base64.StdEncoding.AppendEncode(dst, text[:n])
		text = text[n:]
		if len(text) == 0 {
			dst = append(dst, '\a')
		}
		dst = append(dst, "\x1b\\"...)
	}
	return dst
}

// appendESC appends the one ESC that stands within the given number of
// passthrough levels: each of them doubles it.
func appendESC(dst []byte, level int) []byte {
	for range 1 << level {
		dst = append(dst, '\x1b')
	}
	return dst
}

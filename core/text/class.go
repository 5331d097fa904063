package text

import (
	"unicode"

	"github.com/rivo/uniseg"
)

// A class says how the cleaner treats a rune above ASCII.
type class uint8

const (
	visible   class = iota // starts a cluster
	hidden                 // is not drawn, or steers how others are drawn
	mark                   // adds to the cluster before it
	joiner                 // ZWNJ and ZWJ
	selector               // picks a variant of the rune before it
	modifier               // an emoji's skin tone
	jamo                   // Hangul: may add to the jamo before it
	prepend                // adds to the cluster after it
	indicator              // half of a flag
)

// The runes that rules name.
const (
	zwnj         = '\u200c'
	zwj          = '\u200d'
	textStyle    = '\ufe0e'
	emojiStyle   = '\ufe0f'
	blackFlag    = '\U0001f3f4'
	tagCancel    = '\U000e007f'
	firstControl = '\u2400' // ␀, the picture of NUL
	deletePic    = '\u2421' // ␡
	feedPic      = '\u240a' // ␊
)

// hiddenRunes are the runes that always become a token outside a flag: C1,
// bidi controls, zero width, fillers, tags, other Default_Ignorable_Code_Point
// runes (Unicode 15), the controls of UAX 29, and noncharacters. The joiners
// and the variation selectors are asked for first.
var hiddenRunes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0080, Hi: 0x009f, Stride: 1},
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180e, Hi: 0x180e, Stride: 1},
		{Lo: 0x200b, Hi: 0x200f, Stride: 1},
		{Lo: 0x2028, Hi: 0x202e, Stride: 1},
		{Lo: 0x2060, Hi: 0x206f, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfdd0, Hi: 0xfdef, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
		{Lo: 0xfff0, Hi: 0xfffb, Stride: 1},
		{Lo: 0xfffe, Hi: 0xffff, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x13430, Hi: 0x1343f, Stride: 1}, // hieroglyph layout
		{Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1}, // shorthand format
		{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1}, // musical format
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags
	},
	LatinOffset: 2,
}

// prepends are the runes that UAX 29 calls Prepend (Unicode 15).
var prepends = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0600, Hi: 0x0605, Stride: 1},
		{Lo: 0x06dd, Hi: 0x06dd, Stride: 1},
		{Lo: 0x070f, Hi: 0x070f, Stride: 1},
		{Lo: 0x0890, Hi: 0x0891, Stride: 1},
		{Lo: 0x08e2, Hi: 0x08e2, Stride: 1},
		{Lo: 0x0d4e, Hi: 0x0d4e, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x110bd, Hi: 0x110bd, Stride: 1},
		{Lo: 0x110cd, Hi: 0x110cd, Stride: 1},
		{Lo: 0x111c2, Hi: 0x111c3, Stride: 1},
		{Lo: 0x1193f, Hi: 0x1193f, Stride: 1},
		{Lo: 0x11941, Hi: 0x11941, Stride: 1},
		{Lo: 0x11a3a, Hi: 0x11a3a, Stride: 1},
		{Lo: 0x11a84, Hi: 0x11a89, Stride: 1},
		{Lo: 0x11d46, Hi: 0x11d46, Stride: 1},
		{Lo: 0x11f02, Hi: 0x11f02, Stride: 1},
	},
}

// joining are the scripts whose spelling needs ZWNJ and ZWJ.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati,
	unicode.Gurmukhi, unicode.Kannada, unicode.Khmer, unicode.Malayalam,
	unicode.Mongolian, unicode.Myanmar, unicode.Nko, unicode.Oriya,
	unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu,
	unicode.Javanese, unicode.Balinese, unicode.Mandaic, unicode.Tibetan,
}

// classOf returns the class of a rune above ASCII. The first cases are the
// common scripts, for speed; the last ones look tables up.
func classOf(r rune) class {
	switch {
	case r < 0x300:
		if r < 0xa0 || r == 0xad {
			return hidden
		}
		return visible
	case r >= 0x370 && r < 0x483, r >= 0x48a && r < 0x591,
		r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x2060,
		r >= 0x2070 && r < 0x20d0, r >= 0x2100 && r < 0x2cef, r >= 0x3001 && r < 0x302a,
		r >= 0x3041 && r < 0x3099, r >= 0x309b && r < 0x3164,
		r >= 0x3165 && r < 0xa66f, r >= 0xe000 && r < 0xfb1e,
		r >= 0x1fa00 && r < 0x1fffe, r >= 0x20000 && r < 0x2fffe:
		return visible
	case r >= 0xac00 && r <= 0xd7a3:
		return jamo
	case r >= 0x1f000 && r < 0x1fa00:
		switch {
		case r >= 0x1f1e6 && r <= 0x1f1ff:
			return indicator
		case r >= 0x1f3fb && r <= 0x1f3ff:
			return modifier
		}
		return visible
	}
	return slowClassOf(r)
}

func slowClassOf(r rune) class {
	switch {
	case r == zwnj || r == zwj:
		return joiner
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef,
		r >= 0x180b && r <= 0x180d, r == 0x180f:
		return selector
	case unicode.Is(hiddenRunes, r), r&0xfffe == 0xfffe:
		return hidden
	case unicode.Is(unicode.M, r):
		return mark
	case r == 0x0e33, r == 0x0eb3, r == 0xff9e, r == 0xff9f:
		return mark // letters that UAX 29 attaches nonetheless
	case r >= 0x1100 && r <= 0x11ff, r >= 0xa960 && r <= 0xa97c,
		r >= 0xd7b0 && r <= 0xd7fb:
		return jamo
	case unicode.Is(prepends, r):
		return prepend
	}
	return visible
}

// jamoFollows reports whether two Hangul runes are one cluster (UAX 29, GB6
// to GB8).
func jamoFollows(before, r rune) bool {
	switch jamoType(before) {
	case 'L':
		return jamoType(r) != 'T'
	case 'V', 'a': // a vowel, a syllable that ends in one
		t := jamoType(r)
		return t == 'V' || t == 'T'
	case 'T', 'g': // a final consonant, a syllable that ends in one
		return jamoType(r) == 'T'
	}
	return false
}

func jamoType(r rune) byte {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0xa960 && r <= 0xa97c:
		return 'L'
	case r >= 0x1160 && r <= 0x11a7, r >= 0xd7b0 && r <= 0xd7c6:
		return 'V'
	case r >= 0x11a8 && r <= 0x11ff, r >= 0xd7cb && r <= 0xd7fb:
		return 'T'
	case r >= 0xac00 && r <= 0xd7a3:
		if (r-0xac00)%28 == 0 {
			return 'a'
		}
		return 'g'
	}
	return 0
}

// isPictograph reports whether ZWJ can tie the rune into an emoji sequence:
// the table for it is uniseg's, asked by trying.
func isPictograph(r rune) bool {
	if r < 0xa9 || classOf(r) != visible {
		return false
	}
	var buf [16]byte
	b := append(buf[:0], "☺\u200d"...)
	b = append(b, string(r)...)
	_, rest, _, _ := uniseg.FirstGraphemeCluster(b, -1)
	return len(rest) == 0
}

// hasNoWidth reports whether a rune on its own takes no cell, so that a screen
// would not show it.
func hasNoWidth(r rune) bool {
	return uniseg.StringWidth(string(r)) == 0
}

// selects reports whether a variation selector right after base is one that
// standards define: emoji or text style of a pictograph or a keycap, a variant
// of an ideograph, a mathematical sign, a Mongolian or Myanmar letter. Any
// other one hides data.
func selects(sel, base rune) bool {
	switch {
	case sel == textStyle || sel == emojiStyle:
		return base >= '0' && base <= '9' || base == '#' || base == '*' || isPictograph(base)
	case sel >= 0xfe00 && sel <= 0xfe02:
		return unicode.In(base, unicode.Han, unicode.Sm, unicode.Myanmar)
	case sel >= 0xe0100:
		return unicode.Is(unicode.Han, base)
	case sel < 0x1810:
		return unicode.Is(unicode.Mongolian, base)
	}
	return false
}

// isPlain reports whether a byte is TAB, LF or printable ASCII.
func isPlain(b byte) bool {
	return b >= ' ' && b < 0x7f || b == '\n' || b == '\t'
}

// plainPrefix returns how many bytes at the start of s are TAB, LF or printable
// ASCII. It looks at eight bytes at once.
func plainPrefix(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for i+8 <= len(s) {
		w := load64(s[i:])
		// A top bit is set for each byte above 0x7f, or below 0x20, or equal
		// to 0x7f; a borrow can only add false alarms.
		if odd := w | (w - ones*' ') | ((w ^ ones*0x7f) - ones); odd&tops == 0 {
			i += 8
			continue
		}
		for end := i + 8; i < end; i++ {
			if !isPlain(s[i]) {
				return i
			}
		}
	}
	for i < len(s) && isPlain(s[i]) {
		i++
	}
	return i
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

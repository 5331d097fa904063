package text

// Strip returns a raw text without the characters that Hidden counts, and how
// many it has left out; nothing else is changed. LF, TAB and the CR LF of line
// ends stay as they are, a CR alone goes. Hidden of the result is 0, and
// stripping it again changes nothing (CPY).
//
// What is left out is taken as if it had never stood there, so the number can
// differ from Hidden by the few that only their neighbours hid: of a mark that
// followed a zero width space, the space goes and the mark stays. Bytes that are
// not UTF-8 stay, too, but for those that would become a character when what
// parts them goes; these are counted.
func Strip(raw string) (string, int) {
	var c Cleaner
	p := pass{Cleaner: &c, src: raw, final: true, strip: true}
	p.run()
	if p.out.Len() == 0 {
		return p.src[p.copied:p.at], c.hidden
	}
	p.out.WriteString(p.src[p.copied:p.at])
	return p.out.String(), c.hidden
}

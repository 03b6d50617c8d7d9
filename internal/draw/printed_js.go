package draw

import "io"

// mostDots is as elsewhere: the size of a page does not depend on who draws it.
const mostDots = 60e6

// writePrinted refuses: a web page turns SVG into what it likes, and does not carry the libraries.
func (p *Picture) writePrinted(_ io.Writer, format Format) error {
	return optionError("format %q is not written in a web page: choose svg", format)
}

package draw

import "io"

// mostDots is the same as on other platforms, so that the page size does not depend on the platform.
const mostDots = 60e6

// writePrinted returns an error, because the WebAssembly build supports only SVG.
func (p *Picture) writePrinted(_ io.Writer, format Format) error {
	return optionError("format %q is not written in a web page: choose svg", format)
}

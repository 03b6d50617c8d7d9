//go:build !js

package draw

import "io"

func (p *Picture) writePrinted(w io.Writer, format Format) error {
	if format == PNG {
		return p.writePNG(w)
	}
	return p.writePDF(w)
}

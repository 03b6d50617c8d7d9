//go:build !js

package draw

import "io"

// writePrinted writes the formats that need libraries which draw.
func (p *Picture) writePrinted(w io.Writer, format Format) error {
	if format == PNG {
		return p.writePNG(w)
	}
	return p.writePDF(w)
}

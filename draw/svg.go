package draw

import (
	"bufio"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
)

// svgCanvas writes SVG. Text stays text, so that it can be searched and selected. textLength fixes its width if
// a viewer lacks the fonts. Browsers show the title of a group under the pointer, with the whole name if the
// picture shows a part.
type svgCanvas struct {
	b     *bufio.Writer
	open  []bool // whether the group wrote a tag
	fonts *fonts
}

func (p *Picture) writeSVG(w io.Writer) error {
	c := &svgCanvas{b: bufio.NewWriter(w), fonts: p.fonts}
	fmt.Fprintf(c.b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%smm" height="%smm" viewBox="0 0 %s %s" font-family="%s">`+"\n",
		short(p.Width), short(p.Height), short(p.w), short(p.h), p.fonts.css)
	title := p.opt.Title
	if title == "" {
		title = fmt.Sprintf("Graph of %d variables", len(p.nodes))
	}
	fmt.Fprintf(c.b, "<title>%s</title>\n<desc>%s</desc>\n", escape(title), escape(p.summary))
	p.paint(c)
	c.b.WriteString("</svg>\n")
	return c.b.Flush()
}

func (c *svgCanvas) group(class, title string) {
	c.open = append(c.open, title != "")
	if title != "" {
		fmt.Fprintf(c.b, "<g class=\"%s\"><title>%s</title>\n", class, escape(title))
	}
}

func (c *svgCanvas) end() {
	if c.open[len(c.open)-1] {
		c.b.WriteString("</g>\n")
	}
	c.open = c.open[:len(c.open)-1]
}

func (c *svgCanvas) box(r rect, radius float64, s style) {
	fmt.Fprintf(c.b, `<rect x="%s" y="%s" width="%s" height="%s"`, short(r.X0), short(r.Y0), short(r.w()), short(r.h()))
	if radius > 0 {
		fmt.Fprintf(c.b, ` rx="%s"`, short(radius))
	}
	c.style(s)
	c.b.WriteString("/>\n")
}

func (c *svgCanvas) curve(pts []point, s style) {
	fmt.Fprintf(c.b, `<path d="M%s,%sC`, short(pts[0].X), short(pts[0].Y))
	for i, q := range pts[1:] {
		if i > 0 {
			c.b.WriteByte(' ')
		}
		c.b.WriteString(short(q.X) + "," + short(q.Y))
	}
	c.b.WriteByte('"')
	c.style(s)
	c.b.WriteString("/>\n")
}

func (c *svgCanvas) photo(r rect, f *photo) {
	fmt.Fprintf(c.b, `<image x="%s" y="%s" width="%s" height="%s" href="data:image/jpeg;base64,%s"/>`+"\n", short(r.X0), short(r.Y0), short(r.w()), short(r.h()), base64.StdEncoding.EncodeToString(f.jpeg))
}

func (c *svgCanvas) polygon(pts []point, s style) {
	c.b.WriteString(`<polygon points="`)
	for i, q := range pts {
		if i > 0 {
			c.b.WriteByte(' ')
		}
		c.b.WriteString(short(q.X) + "," + short(q.Y))
	}
	c.b.WriteByte('"')
	c.style(s)
	c.b.WriteString("/>\n")
}

func (c *svgCanvas) text(t line) {
	fmt.Fprintf(c.b, `<text x="%s" y="%s" font-size="%s" fill="%s"`, short(t.at.X), short(t.at.Y), short(t.size), hex(t.color))
	if t.center {
		c.b.WriteString(` text-anchor="middle"`)
	}
	if t.bold {
		c.b.WriteString(` font-weight="bold"`)
	}
	if len(t.text) > 1 && t.width > 0 {
		fmt.Fprintf(c.b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, short(t.width))
	}
	fmt.Fprintf(c.b, ">%s</text>\n", escape(t.text))
}

func (c *svgCanvas) style(s style) {
	if s.fill.A == 0 {
		c.b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(c.b, ` fill="%s"`, hex(s.fill))
	}
	if s.stroke.A == 0 {
		return
	}
	fmt.Fprintf(c.b, ` stroke="%s" stroke-width="%s"`, hex(s.stroke), short(s.width))
	if len(s.dashes) > 0 {
		var d []string
		for _, v := range s.dashes {
			d = append(d, short(v))
		}
		fmt.Fprintf(c.b, ` stroke-dasharray="%s"`, strings.Join(d, " "))
	}
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// short formats a length with at most two decimals.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) }

// escape escapes text for XML; invalid characters become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

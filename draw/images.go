package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"

	"github.com/polydag/polydag/graph"
)

// Images are JPEG images of the rows that a graph was learned from.
type Images struct {
	Nodes map[string][]byte     // an image that is typical of a column
	Edges map[graph.Link][]byte // an image that is an exception to an edge
}

// These are the longer sides of images, in font sizes.
const (
	nodeImage  = 6.0
	edgeImage  = 4.0
	panelImage = 7.0
)

// photo is an image with its size on the page.
type photo struct {
	jpeg []byte
	img  image.Image
	w, h float64
}

// newPhoto decodes an image and scales its longer side.
func newPhoto(what string, text []byte, side float64) (*photo, error) {
	img, err := jpeg.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the image of %s: %w; want a JPEG image", what, err)
	}
	w, h := float64(img.Bounds().Dx()), float64(img.Bounds().Dy())
	if w == 0 || h == 0 {
		return nil, fmt.Errorf("the image of %s has no pixels", what)
	}
	scale := side / max(w, h)
	return &photo{text, img, w * scale, h * scale}, nil
}

// place returns the rectangle of the photo with this upper left corner.
func (f *photo) place(x, y float64) rect { return rect{x, y, x + f.w, y + f.h} }

// addImages attaches the images to nodes and edges.
func (p *Picture) addImages() error {
	for i := range p.nodes {
		n := &p.nodes[i]
		text, ok := p.opt.Images.Nodes[n.name]
		if !ok {
			continue
		}
		var err error
		if n.photo, err = newPhoto(n.name, text, nodeImage*p.opt.FontSize); err != nil {
			return err
		}
	}
	for k := range p.edges {
		e := &p.edges[k]
		text, ok := p.opt.Images.Edges[e.Link]
		if !ok {
			continue
		}
		var err error
		if e.photo, err = newPhoto(e.From+" → "+e.To, text, edgeImage*p.opt.FontSize); err != nil {
			return err
		}
		p.exceptions = true
	}
	return nil
}

// A Panel is a row of images with a title.
type Panel struct {
	Title  string
	Images [][]byte // JPEG
}

type panel struct {
	title  line
	photos []*photo
	boxes  []rect
}

// Panels lays out rows of at most four images in two columns, with notes below them; see Settings for the title and the size of the page.
func Panels(list []Panel, notes []string, opt Settings) (*Picture, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there are no panels to draw")
	}
	f, err := loadFonts(opt.Font)
	if err != nil {
		return nil, err
	}
	size := opt.FontSize
	wide, gap := (4*panelImage+3*0.4)*size, 2*size // of a column, and between columns
	p := &Picture{opt: opt, theme: themeOf(opt), fonts: f, w: 2*wide + gap + 2*margin}
	y := margin
	put := func(x, most float64, text string, bold bool, size float64) line {
		text = f.cut(text, size, most, bold)
		return line{at: point{X: x, Y: y + size}, text: text, width: f.width(text, size, bold), size: size, bold: bold, color: p.theme.ink}
	}
	if opt.Title != "" {
		p.title = append(p.title, put(margin, p.w-2*margin, opt.Title, true, 1.25*size))
		y += 2.2 * size
	}
	tallest := 0.0
	for k, given := range list {
		x := margin + float64(k%2)*(wide+gap)
		row := panel{title: put(x, wide, given.Title, false, p.labelSize())}
		for _, text := range given.Images[:min(len(given.Images), 4)] {
			ph, err := newPhoto(given.Title, text, panelImage*size)
			if err != nil {
				return nil, err
			}
			row.photos, row.boxes = append(row.photos, ph), append(row.boxes, ph.place(x, y+1.4*size))
			x, tallest = x+ph.w+0.4*size, max(tallest, ph.h)
		}
		p.panels = append(p.panels, row)
		if k%2 == 1 || k == len(list)-1 {
			y, tallest = y+tallest+2.2*size, 0
		}
	}
	for _, n := range notes {
		for _, text := range f.broken(n, p.labelSize(), p.w-2*margin) {
			p.title = append(p.title, put(margin, p.w-2*margin, text, false, p.labelSize()))
			y += 1.3 * size
		}
	}
	p.h = y + margin
	p.summary = fmt.Sprintf("%d rows of images", len(list))
	p.fit()
	return p, nil
}

func (p *Picture) paintPanels(c canvas) {
	for _, row := range p.panels {
		c.text(row.title)
		for k, ph := range row.photos {
			c.photo(row.boxes[k], ph)
		}
	}
}

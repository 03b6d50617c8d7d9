package draw

import (
	"fmt"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/polydag/polydag/internal/liberation"
)

// A family is a font in two weights, with metric-compatible fallbacks.
type family struct {
	embedded liberation.Family // its name is also the name of the variant in gonum/plot
	css      string
}

var families = map[string]family{
	"sans":  {liberation.Sans, "'Liberation Sans',Arial,Helvetica,sans-serif"},
	"serif": {liberation.Serif, "'Liberation Serif','Times New Roman',Times,serif"},
	"mono":  {liberation.Mono, "'Liberation Mono','Courier New',Courier,monospace"},
}

// fonts measure text. The widths are those of the font without kerning, so they do not depend on the viewer.
type fonts struct {
	family
	ttf  [2][]byte         // regular, bold
	face [2]*opentype.Font // the same, parsed
	buf  sfnt.Buffer
}

func loadFonts(name string) (*fonts, error) {
	f := &fonts{family: families[name]}
	var err error
	if f.ttf[0], f.ttf[1], err = f.embedded.TTF(); err != nil {
		return nil, err
	}
	for i, ttf := range f.ttf {
		if f.face[i], err = opentype.Parse(ttf); err != nil {
			return nil, fmt.Errorf("font %s: %w", name, err)
		}
	}
	return f, nil
}

func (f *fonts) of(bold bool) *opentype.Font {
	if bold {
		return f.face[1]
	}
	return f.face[0]
}

// advance returns the width of a character as a share of the font size, and whether the font has it. Missing
// characters are drawn as a square or, in SVG, by another font in the given width: one em for pictographs and
// East Asian scripts, and otherwise the width of the square.
func (f *fonts) advance(r rune, bold bool) (float64, bool) {
	face := f.of(bold)
	i, err := face.GlyphIndex(&f.buf, r)
	if err != nil || i == 0 {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
			return 0, false
		case r >= 0x2e80 || unicode.Is(unicode.So, r):
			if !leftward(r) {
				return 1, false
			}
		}
		return 0.6, false
	}
	em := fixed.Int26_6(face.UnitsPerEm())
	a, err := face.GlyphAdvance(&f.buf, i, em, xfont.HintingNone)
	if err != nil {
		return 1, false
	}
	return float64(a) / float64(em), true
}

func (f *fonts) width(s string, size float64, bold bool) float64 {
	total := 0.0
	for _, r := range s {
		a, _ := f.advance(r, bold)
		total += a
	}
	return total * size
}

// drawable converts a text for the embedded font, from left to right: □ for missing characters, and
// right-to-left scripts in visual order.
func (f *fonts) drawable(s string, bold bool) string {
	out := []rune(s)
	for i := 0; i < len(out); {
		j := i
		for k := i; k < len(out) && (leftward(out[k]) || k > i && out[k] == ' '); k++ {
			if leftward(out[k]) {
				j = k + 1 // adjacent right-to-left words are reversed together
			}
		}
		for a, b := i, j-1; a < b; a, b = a+1, b-1 {
			out[a], out[b] = out[b], out[a]
		}
		i = max(j, i+1)
	}
	kept := out[:0]
	for _, r := range out {
		if w, ok := f.advance(r, bold); ok {
			kept = append(kept, r)
		} else if w > 0 {
			kept = append(kept, '□')
		}
	}
	return string(kept)
}

func leftward(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// shown returns a name for titles: complete, but without direction marks and control characters.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cc, r) {
			return ' '
		}
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// visible removes control characters, direction marks and joiners.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

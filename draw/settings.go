package draw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/internal/names"
)

// A Format is a file format.
type Format string

// These are the formats. SVG and PDF keep text as text; PNG has pixels.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
)

// Formats returns all formats.
func Formats() []Format { return []Format{SVG, PNG, PDF} }

// Labels controls the number on an edge: its standardized weight or, without a slope, its score gain in bits
// per row.
type Labels string

// LabelsAuto shows numbers for at most 40 edges, about what fits on a page.
const (
	LabelsAuto Labels = "auto"
	LabelsOn   Labels = "on"
	LabelsOff  Labels = "off"
)

// mostLabels is the largest number of edges for which LabelsAuto shows numbers.
const mostLabels = 40

// Settings are the settings of a drawing. Start from DefaultSettings; zero values are not defaults.
type Settings struct {
	// Width is the page width in millimetres; everything is scaled to it, including text. 0 means the natural
	// size.
	Width    float64
	Font     string  // sans, serif or mono: the Liberation fonts, with the widths of Arial, Times New Roman and Courier New
	FontSize float64 // size of names in points before scaling
	DPI      int     // dots per inch of a PNG; fewer for large pages, see Picture.DPI
	Title    string  // above the graph; may be empty
	Theme    string  // light or dark
	// Mono draws without colors, for print. Arrow heads and numbers show the sign.
	Mono   bool
	Labels Labels
	Legend bool
	// Threshold hides edges with a smaller score gain in bits per row. Nothing is fitted again, and the page
	// states it.
	Threshold float64
	// Edges is the number of drawn edges, the strongest first: AutoEdges, AllEdges or a number. The page states
	// what is omitted.
	Edges int
	// Highlight names columns to highlight with their edges; the others fade.
	Highlight []string
	// Path names columns along directed edges to highlight. Its edges are always drawn.
	Path []string
	// Sensitive names columns to mark with a double border.
	Sensitive []string
	// Images are drawn in the boxes of columns and at edges.
	Images Images
}

// DefaultSettings returns settings for a page in a paper.
func DefaultSettings() Settings {
	return Settings{Font: "sans", FontSize: 9, DPI: 220, Theme: "light", Labels: LabelsAuto, Legend: true, Edges: AutoEdges}
}

// ErrOption is matched by every error about Settings, including unknown names.
var ErrOption = errors.New("bad option")

// Validate returns an error that names every invalid setting.
func (o Settings) Validate() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, optionError(format, args...))
	}
	if o.Width != 0 && !(o.Width >= 10 && o.Width <= 5000) {
		fault("width %v mm, want 10 to 5000, or 0 for what the graph needs", o.Width)
	}
	if _, ok := families[o.Font]; !ok {
		fault("font %q, want sans, serif or mono", o.Font)
	}
	if !(o.FontSize >= 2 && o.FontSize <= 72) {
		fault("font size %v points, want 2 to 72", o.FontSize)
	}
	if o.DPI < 30 || o.DPI > 1200 {
		fault("%d dots an inch, want 30 to 1200", o.DPI)
	}
	if o.Theme != "light" && o.Theme != "dark" {
		fault("theme %q, want light or dark", o.Theme)
	}
	if !slices.Contains([]Labels{LabelsAuto, LabelsOn, LabelsOff}, o.Labels) {
		fault("labels %q, want auto, on or off", o.Labels)
	}
	if !(o.Threshold >= 0) {
		fault("threshold %v, want 0 or more", o.Threshold)
	}
	if o.Edges < AutoEdges {
		fault("%d edges, want a number of 1 or more, all or auto", o.Edges)
	}
	if len(o.Path) == 1 {
		fault("a path of one column, %q, want two or more: a->b", o.Path[0])
	}
	return errors.Join(errs...)
}

type optionFault struct{ text string }

func (e optionFault) Error() string        { return e.text }
func (e optionFault) Is(target error) bool { return target == ErrOption }

func optionError(format string, args ...any) error { return optionFault{fmt.Sprintf(format, args...)} }

// closest suggests a similar name.
func closest(name string, known []string) string {
	if near, ok := names.Nearest(name, false, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

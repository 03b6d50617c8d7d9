package draw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/internal/names"
)

// A Format is a kind of file.
type Format string

// The formats. SVG and PDF keep text as text; PNG has dots.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
)

// Formats lists them.
func Formats() []Format { return []Format{SVG, PNG, PDF} }

// A Labels says whether edges carry a number: their standardized weight or, where the effect is no slope, their strength in bits.
type Labels string

// LabelsAuto writes numbers where there are at most 40 edges, which is about what a page holds.
const (
	LabelsAuto Labels = "auto"
	LabelsOn   Labels = "on"
	LabelsOff  Labels = "off"
)

// mostLabels is the number of edges up to which LabelsAuto writes numbers.
const mostLabels = 40

// Options say how to draw. Zero means zero: start from DefaultOptions.
type Options struct {
	// Width is of the page in millimetres; everything is scaled to it, text included. 0 takes the room that the graph needs.
	Width    float64
	Font     string  // sans, serif or mono: the Liberation fonts, which are as wide as Arial, Times New Roman and Courier New
	FontSize float64 // of names, in points before scaling
	DPI      int     // dots an inch of a PNG, or fewer where the page is large: see Picture.DPI
	Title    string  // above the graph; may be empty
	Theme    string  // light or dark
	// Mono draws without colours, for print: the sign shows in arrow heads and numbers.
	Mono   bool
	Labels Labels
	Legend bool
	// Threshold hides edges that save fewer bits a row. Nothing is fitted anew, and the page says so.
	Threshold float64
	// Edges is how many of the strongest edges are drawn: AutoEdges, AllEdges or a number. The page says what is left out.
	Edges int
	// Highlight names columns to bring out, with their edges; the others fade.
	Highlight []string
	// Path names columns along directed edges to bring out. Its edges are drawn whatever the threshold.
	Path []string
	// Sensitive names columns to mark with a double border.
	Sensitive []string
}

// DefaultOptions are for a page in a paper.
func DefaultOptions() Options {
	return Options{Font: "sans", FontSize: 9, DPI: 220, Theme: "light", Labels: LabelsAuto, Legend: true, Edges: AutoEdges}
}

// ErrOption is behind every error about Options, names that the result does not have included.
var ErrOption = errors.New("bad option")

// Validate returns an error that names every invalid setting.
func (o Options) Validate() error {
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

// closest proposes a name for one that is not there.
func closest(name string, known []string) string {
	if near, ok := names.Nearest(name, false, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

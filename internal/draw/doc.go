// Package draw makes a picture of a learned graph, fit to be printed.
//
//	opt := draw.DefaultOptions()
//	opt.Width = 180 // millimetres
//	err := draw.Write(ctx, file, draw.PDF, result, opt)
//
// Causes stand above effects. The width of an arrow is the strength of the edge; blue with a full head is positive,
// orange with a hollow head is negative; dashed where the data do not determine the direction. A legend says so on the page.
// Nothing is computed from the result but what is shown of it: a threshold hides edges and fits nothing anew.
//
// Names are set in boxes that are measured to fit, in up to three lines; of longer ones the beginning and the end are shown, and
// SVG has the whole name in a title. SVG and PDF keep text as text. SVG names the Liberation fonts and those of the same widths that
// systems come with, and holds each line to its measured length, so that no text leaves its box in a viewer that has
// none of them; characters that the fonts lack are left to the viewer there, and are squares in PNG and PDF.
package draw

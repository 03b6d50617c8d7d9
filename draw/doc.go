// Package draw draws a learned graph for print.
//
//	opt := draw.DefaultSettings()
//	opt.Width = 180 // millimetres
//	err := draw.Write(ctx, file, draw.PDF, result, opt)
//
// Causes are above effects. The width of an arrow shows the score gain of the edge. Blue with a full head is
// positive, orange with a hollow head is negative. Undirected edges are lines without a head, weak ones dotted lines
// without a head. A legend explains this on the page. A threshold only hides edges; nothing is fitted again.
//
// Names are wrapped in boxes of up to three lines. Longer ones show the beginning and the end, and SVG has the
// whole name in a title. SVG and PDF keep text as text. SVG names the Liberation fonts and metric-compatible
// ones, and fixes the length of each line, so that text stays in its box in every viewer. Characters that the
// fonts lack are left to the viewer in SVG, and are squares in PNG and PDF.
//
// Experimental: the API of this package may change before 1.0.
package draw

// Package figure draws charts for a paper, each as SVG and as PNG, or as PDF.
//
//	page := figure.NewPage(170, 90) // millimetres
//	figure.Lines{...}.Draw(page, page.Area())
//	err := page.Write(svg, png)
//
// It is independent of studies and gets labels and numbers. The canvas, the fonts, SVG and PNG come from
// gonum/plot. This package draws axes and legends, so that nothing overlaps and a figure has the same bytes on
// every machine. Colors are those of Okabe and Ito (2008), which are safe for color-blind readers; markers and
// dashes differ as well.
//
// Text may have subscripts and superscripts: h_{geo}, 10^{-3}.
package figure

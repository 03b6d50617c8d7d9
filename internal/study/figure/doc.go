// Package figure draws charts for a paper, each as SVG and as PNG, or as PDF.
//
//	page := figure.NewPage(170, 90) // millimetres
//	figure.Lines{...}.Draw(page, page.Area())
//	err := page.Write(svg, png)
//
// It knows nothing of studies: it is given labels and numbers. The canvas, the fonts and SVG and PNG are gonum/plot's; axes and
// legends are drawn here, so that nothing overlaps and a figure has the same bytes on every machine. Colours are those of
// Okabe and Ito (2008), which readers with any colour vision can tell apart; markers and dashes differ as well.
//
// Text may have subscripts and superscripts: h_{geo}, 10^{-3}.
package figure

package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/draw"
)

// manyEdges is the number of edges from which a layout takes more than a second.
const manyEdges = 200

func (a *app) drawCommand() *cobra.Command {
	opt := draw.DefaultSettings()
	var format, path, labels, edges string
	var noLegend bool
	cmd := &cobra.Command{
		Use:   "draw RESULT.json PICTURE...",
		Short: "Draw a learned graph as SVG, PNG or PDF",
		Long: `Draw lays out a learned graph in layers, causes above effects, and writes a figure for print. The
extension of each PICTURE selects the format: .svg, .png or .pdf; - is standard output and needs
--set format.

The width of an arrow shows the score gain of the edge (bits per row). Blue with a filled head is a
positive effect, orange with a hollow head a negative one. Undirected edges are lines without a head;
weak edges are dotted lines without a head. Graphs with more than 90 edges show the 60 with the
largest score gain, with a note; --edges all draws every edge. --set threshold hides edges with a small
score gain. Neither refits the graph.`,
		Example: `  polydag draw result.json graph.svg
  polydag draw result.json graph.pdf graph.png --set width=180 --set font=serif --set title="Dependences of income"
  polydag draw result.json graph.svg --edges all
  polydag draw result.json graph.svg --set threshold=0.01 --set path="age->education->income"
  polydag draw result.json - --set format=png --set mono > graph.png`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("polydag draw takes one result.json, or - for standard input, and one or more pictures, got %d; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Labels, opt.Legend = draw.Labels(labels), !noLegend
			var err error
			if opt.Edges, err = edgesOf(edges); err != nil {
				return err
			}
			if path != "" {
				for _, name := range strings.Split(strings.ReplaceAll(path, "→", "->"), "->") {
					opt.Path = append(opt.Path, strings.TrimSpace(name))
				}
			}
			pictures := args[1:]
			formats := make([]draw.Format, len(pictures))
			for i, out := range pictures {
				if formats[i], err = formatOf(out, format); err != nil {
					return err
				}
			}
			if err := opt.Validate(); err != nil {
				return usageError{err}
			}
			if err := a.outputs(args[:1], pictures); err != nil {
				return err
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.err.Terminal() && len(res.Edges) > manyEdges {
				fmt.Fprintf(a.err, "laying out %s …\n", plural(len(res.Edges), "edge"))
			}
			p, err := draw.New(cmd.Context(), res, opt)
			if err != nil {
				return asUsage(err)
			}
			if p.Left > 0 && edges == "auto" {
				fmt.Fprintf(a.err, "note: showing the %d of %d edges with the largest score gain; use --edges all for all of them\n", p.Shown, p.Shown+p.Left)
			}
			switch {
			case p.Shown == 0 && p.Hidden > 0:
				fmt.Fprintf(a.err, "note: --set threshold=%g hides every edge\n", opt.Threshold)
			case p.Width > 1000:
				fmt.Fprintf(a.err, "note: the picture of %s is %.1f m wide; use --edges 60 for fewer edges\n", plural(p.Shown, "edge"), p.Width/1000)
			}
			if p.TextSize < 5 {
				fmt.Fprintf(a.err, "note: names are only %.1f points high; use --set width=%.0f for 6 points, or fewer edges with --edges or --set threshold\n", p.TextSize, p.Width*6/p.TextSize)
			}
			if slices.Contains(formats, draw.PNG) && p.DPI < opt.DPI {
				fmt.Fprintf(a.err, "note: the PNG has %d dots per inch; %d would be too large for a page of %.0f × %.0f mm\n", p.DPI, opt.DPI, p.Width, p.Height)
			}
			for i, out := range pictures {
				if err := a.data(cmd.Context(), out, func(w io.Writer) error { return p.Write(w, formats[i]) }); err != nil {
					return asUsage(err)
				}
			}
			return nil
		},
	}
	f := ordered(cmd)
	f.StringVar(&format, "format", "", "picture format, regardless of the file extension: svg, png or pdf")
	f.Float64Var(&opt.Width, "width", opt.Width, "page width in millimetres; 0 for the natural size of the graph")
	f.StringVar(&opt.Font, "font", opt.Font, "font family: sans, serif or mono")
	f.Float64Var(&opt.FontSize, "font-size", opt.FontSize, "font size of names in points, before scaling")
	f.IntVar(&opt.DPI, "dpi", opt.DPI, "resolution of a PNG in dots per inch")
	f.StringVar(&opt.Title, "title", "", "title above the graph")
	f.StringVar(&labels, "labels", string(opt.Labels), "effect labels on edges: on, off, or auto (up to 40 edges)")
	f.StringVar(&edges, "edges", "auto", "number of edges to draw, by score gain: a number, all, or auto (all up to 90, otherwise 60)")
	f.Float64Var(&opt.Threshold, "threshold", opt.Threshold, "hide edges with a score gain below this (bits per row)")
	f.StringSliceVar(&opt.Highlight, "highlight", nil, "columns to highlight with their edges, comma-separated")
	f.StringVar(&path, "path", "", "directed path to highlight, as \"a->b->c\"")
	f.StringSliceVar(&opt.Sensitive, "sensitive", nil, "columns to draw with a double border, comma-separated")
	f.StringVar(&opt.Theme, "theme", opt.Theme, "color theme: light or dark")
	f.BoolVar(&opt.Mono, "mono", false, "draw in black and white")
	f.BoolVar(&noLegend, "no-legend", false, "omit the legend")
	return cmd
}

func edgesOf(word string) (int, error) {
	switch n, err := strconv.Atoi(word); {
	case word == "auto":
		return draw.AutoEdges, nil
	case word == "all":
		return draw.AllEdges, nil
	case err != nil || n < 1:
		return 0, usagef("--edges %q: want a number of 1 or more, all or auto", word)
	default:
		return n, nil
	}
}

func formatOf(path, flag string) (draw.Format, error) {
	name, why := flag, "--set format="+flag
	if flag == "" {
		if path == "-" {
			return "", usagef("standard output has no file extension; add --set format=svg, png or pdf")
		}
		name, why = strings.TrimPrefix(filepath.Ext(path), "."), path
	}
	if f := draw.Format(strings.ToLower(name)); slices.Contains(draw.Formats(), f) {
		return f, nil
	}
	return "", usagef("%s: unknown picture format; use svg, png or pdf", why)
}

// asUsage marks invalid drawing options as a usage error.
func asUsage(err error) error {
	if errors.Is(err, draw.ErrOption) {
		return usageError{err}
	}
	return err
}

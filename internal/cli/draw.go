package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/draw"
)

// manyEdges is where a layout begins to take more than a second.
const manyEdges = 200

func (a *app) drawCommand() *cobra.Command {
	opt := draw.DefaultOptions()
	var format, path, labels, edges string
	var noLegend bool
	cmd := &cobra.Command{
		Use:   "draw RESULT.json PICTURE...",
		Short: "Draw a learned graph as SVG, PNG or PDF",
		Long: `Draw lays out a learned graph in layers, causes above effects, and writes it as a picture fit for a paper. The ending of each
PICTURE says its format: .svg, .png or .pdf; - is standard output and needs --format.

The width of an arrow is the strength of the edge, the bits a row that it saves. Blue with a full head is positive, orange with a hollow head is
negative; dashed where the data do not determine the direction. Of more than 90 edges the 60 strongest are drawn, which a person can
follow, with a note; --edges all draws all. --threshold hides weak edges. Both are views: nothing is fitted anew.`,
		Example: `  polydag draw result.json graph.svg
  polydag draw result.json graph.pdf graph.png --width 180 --font serif --title "Dependences of income"
  polydag draw result.json graph.svg --edges all
  polydag draw result.json graph.svg --threshold 0.01 --path "age->education->income"
  polydag draw result.json - --format png --mono > graph.png`,
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
			if terminal(a.err) && len(res.Edges) > manyEdges {
				fmt.Fprintf(a.err, "laying out %d edges …\n", len(res.Edges))
			}
			p, err := draw.New(cmd.Context(), res, opt)
			if err != nil {
				return asUsage(err)
			}
			if p.Left > 0 && edges == "auto" {
				fmt.Fprintf(a.err, "note: showing the %d strongest of %d edges; --edges all draws all of them\n", p.Shown, p.Shown+p.Left)
			}
			switch {
			case p.Shown == 0 && p.Hidden > 0:
				fmt.Fprintf(a.err, "note: --threshold %g hides every edge\n", opt.Threshold)
			case p.Width > 1000:
				fmt.Fprintf(a.err, "note: the picture of %d edges is %.1f m wide; --edges 60 leaves fewer\n", p.Shown, p.Width/1000)
			}
			if p.TextSize < 5 {
				fmt.Fprintf(a.err, "note: names are %.1f points high; a page of %.0f mm would have them at 6, or leave out weak edges with --edges or --threshold\n", p.TextSize, p.Width*6/p.TextSize)
			}
			if slices.Contains(formats, draw.PNG) && p.DPI < opt.DPI {
				fmt.Fprintf(a.err, "note: the PNG has %d dots an inch; %d would make it too large for a page of %.0f × %.0f mm\n", p.DPI, opt.DPI, p.Width, p.Height)
			}
			for i, out := range pictures {
				if err := a.write(cmd.Context(), out, func(w io.Writer) error { return p.Write(w, formats[i]) }); err != nil {
					return asUsage(err)
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&format, "format", "", "svg, png or pdf, whatever the name of the file")
	f.Float64Var(&opt.Width, "width", opt.Width, "of the page in millimetres, everything scaled to it; 0 takes what the graph needs")
	f.StringVar(&opt.Font, "font", opt.Font, "sans, serif or mono")
	f.Float64Var(&opt.FontSize, "font-size", opt.FontSize, "of names, in points before scaling")
	f.IntVar(&opt.DPI, "dpi", opt.DPI, "dots an inch of a PNG")
	f.StringVar(&opt.Title, "title", "", "a line above the graph")
	f.StringVar(&labels, "labels", string(opt.Labels), "weights on edges: on, off, or auto for on up to 40 edges")
	f.StringVar(&edges, "edges", "auto", "how many of the strongest edges to draw: a number, all, or auto for all up to 90 and 60 of more")
	f.Float64Var(&opt.Threshold, "threshold", opt.Threshold, "hide edges that save fewer bits a row")
	f.StringSliceVar(&opt.Highlight, "highlight", nil, "columns to bring out with their edges, separated by commas; the others fade")
	f.StringVar(&path, "path", "", `columns along directed edges to bring out: "a->b->c"`)
	f.StringSliceVar(&opt.Sensitive, "sensitive", nil, "columns to mark with a double border, separated by commas")
	f.StringVar(&opt.Theme, "theme", opt.Theme, "light or dark")
	f.BoolVar(&opt.Mono, "mono", false, "black and white, for print")
	f.BoolVar(&noLegend, "no-legend", false, "leave out the legend")
	return cmd
}

// edgesOf reads --edges.
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

// formatOf takes the format from the flag or from the ending of a file.
func formatOf(path, flag string) (draw.Format, error) {
	name, why := flag, "--format "+flag
	if flag == "" {
		if path == "-" {
			return "", usagef("standard output has no ending to tell the format by; add --format svg, png or pdf")
		}
		name, why = strings.TrimPrefix(filepath.Ext(path), "."), path
	}
	if f := draw.Format(strings.ToLower(name)); slices.Contains(draw.Formats(), f) {
		return f, nil
	}
	return "", usagef("%s: pictures are svg, png or pdf", why)
}

// asUsage marks what the caller asked for in vain as a usage error.
func asUsage(err error) error {
	if errors.Is(err, draw.ErrOption) {
		return usageError{err}
	}
	return err
}

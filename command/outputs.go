package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/page"
	"github.com/polydag/polydag/report"
)

// outputs are the files that a run writes.
type outputs struct {
	json, weights, page, progress string
	export                        []string
	formats                       []report.Format // formats of export
	matrix                        files.Writer    // writer of weights
	raw                           bool            // names in CSV are not escaped
	dag                           bool            // export has the complete DAG
	table, typed                  []string        // the files of the table and the whole command line, for suggested commands; nil if there are none
}

func (o *outputs) add(f *pflag.FlagSet) {
	f.StringVarP(&o.json, "output", "o", "", "write the result as JSON to this file (- for standard output)")
	f.StringVar(&o.page, "report", "", "write an interactive HTML report to this file")
	f.StringArrayVar(&o.export, "export", nil, "write the graph to this file; the extension selects the format, as in polydag convert; repeatable")
	f.BoolVar(&o.dag, "dag", false, "--export: write the complete DAG, also with directions that are not stated")
	f.StringVar(&o.weights, "weights", "", "write the weight matrix before thresholding to this file (.csv, .npy, .parquet, …; continuous methods only)")
	rawFlag(f, &o.raw)
	f.StringVar(&o.progress, "progress-file", "", "write the progress of the run to this file; polydag serve shows files that end in .progress.json")
}

func (o *outputs) check(cfg polydag.Config) error {
	m := cfg.Method
	if o.weights != "" && !m.Info().Continuous {
		return usagef("--set weights needs a method that has weights before a threshold: %s", strings.Join(continuous(cfg.Methods), ", "))
	}
	if o.weights != "" {
		var err error
		if o.matrix, err = tableFormat("--set weights", o.weights); err != nil {
			return err
		}
		o.matrix.Raw = o.raw
	}
	toStdout := 0
	for _, path := range o.files() {
		if path == "-" {
			toStdout++
		}
	}
	if toStdout > 1 {
		return usagef("%d outputs go to standard output; give all but one of them a file", toStdout)
	}
	if o.dag && len(o.export) == 0 {
		return usagef("--dag is for --export; add --export FILE, or omit it")
	}
	o.formats = make([]report.Format, len(o.export))
	for i, path := range o.export {
		if path == "-" {
			return usagef("--export -: standard output has no file extension; use --output - and pipe it into polydag convert - - --to FORMAT")
		}
		formats := allFormats()
		if o.raw {
			formats = formats.Raw()
		}
		if o.dag {
			formats = formats.DAG()
		}
		format, err := formats.ForFile(path)
		if err != nil {
			return usagef("--export: %s", worded(err))
		}
		if gives := m.Info().Gives; format.DAGOnly() && gives != graph.KindDAG || !format.Marks && gives == graph.KindPAG {
			return usagef("--export %s: method %s gives a graph of kind %s, which the format %s cannot hold; docs/reference/formats.md lists those that hold it", path, m.Info().Name, gives, format.Name)
		}
		o.formats[i] = format
	}
	return nil
}

// rawFlag adds the flag that turns off the escape of formulas in CSV.
func rawFlag(f *pflag.FlagSet, raw *bool) {
	f.BoolVar(raw, "raw-csv", false, "CSV output: write names unchanged; by default, names that a spreadsheet would run as a formula get a leading apostrophe")
}

// continuous returns the names of the methods that threshold weights.
func continuous(list polydag.MethodList) (names []string) {
	for _, m := range list.All() {
		if i := m.Info(); i.Continuous {
			names = append(names, i.Name)
		}
	}
	return names
}

// written reports whether deliver writes the result to a file or to standard output.
func (o *outputs) written(screen *console) bool {
	return !screen.quiet || o.json != "" || o.weights != "" || o.page != "" || len(o.export) > 0
}

func (o *outputs) files() []string {
	return append([]string{o.json, o.weights, o.page, o.progress}, o.export...)
}

// drawnAtOnce is the number of columns and edges that can be drawn quickly: 0.16 s of setup and 4 ms for each.
const drawnAtOnce = 60

// deliver writes the requested files, and the text for a person unless another output uses the same place. A
// write error does not prevent the other outputs. A run that ctx ended still writes its files, except the
// picture of a large graph, whose name is returned. Only the size decides, not the time. The page includes
// effects if table is not nil and ctx lasts long enough.
func (o *outputs) deliver(ctx context.Context, a *app, res *polydag.Result, table *polydag.Table, threads int, screen *console) (undrawn []string, err error) {
	var faults []error
	quiet := screen.quiet
	hurry := ctx.Err() != nil && len(res.Names)+len(res.Edges) > drawnAtOnce
	live := ctx
	ctx = context.WithoutCancel(ctx)
	write := func(path string, fill func(io.Writer) error) {
		if path == "" {
			return
		}
		quiet = quiet || path == "-"
		faults = append(faults, a.data(ctx, path, fill))
	}
	draw := func(path string, fill func(io.Writer) error) {
		if hurry && path != "" {
			undrawn = append(undrawn, path)
			return
		}
		write(path, fill)
	}
	write(o.json, report.JSON(res))
	if o.weights != "" {
		write(o.weights, func(w io.Writer) error {
			return o.matrix.Write(w, files.Content{Names: res.WeightNames(), Count: res.W.Rows, Rows: dataset.RowsOf(res.W)})
		})
	}
	for i, path := range o.export {
		if isPicture(o.formats[i]) {
			draw(path, render(ctx, o.formats[i], res))
			continue
		}
		if !o.dag {
			a.noteComplete(res, o.formats[i])
		}
		write(path, o.formats[i].Write(res))
	}
	draw(o.page, func(w io.Writer) error {
		effects, err := survey(live, res, table, brief(table, threads), screen)
		if err != nil {
			effects = nil // the page says how to compute them
		}
		return page.Write(ctx, w, page.Input{Results: []page.Labelled{{Label: "result", Result: res, Effects: effects}}})
	})
	if !quiet {
		faults = append(faults, a.write(ctx, "-", report.TextWith(res, report.TextSettings{Width: columns(a.out), Details: screen.verbose, Words: Flagged, Written: o.json, Next: o.next(res, table)})))
	}
	return undrawn, errors.Join(faults...)
}

// next returns up to three useful commands for this result.
func (o *outputs) next(res *polydag.Result, table *polydag.Table) (list [][2]string) {
	again := ""
	if len(o.table) > 0 && o.table[0] != "-" {
		again = "polydag " + shellWords(o.typed)
	}
	if o.json != "" && o.json != "-" {
		for _, e := range res.Edges {
			if e.Directed() && (e.Verdict == polydag.Directed || e.Verdict == "") {
				ask := fmt.Sprintf("polydag effect %s --of %s --on %s", shellWord(o.json), shellWord(e.From), shellWord(e.To))
				switch {
				case res.Sloped(): // the result is enough
				case again == "": // the rows cannot be read again
					ask = ""
				default:
					for _, path := range o.table {
						ask += " --data " + shellWord(path)
					}
				}
				if ask != "" {
					list = append(list, [2]string{ask, "effect of an intervention"})
				}
				break
			}
		}
		if slices.ContainsFunc(res.Edges, func(e polydag.Edge) bool { return e.Verdict == polydag.Undirected }) {
			list = append(list, [2]string{"polydag questions " + shellWord(o.json), "what you could tell polydag to settle more directions"})
		}
		if flag, why := unsureName(res, table, o.typed); again != "" && flag != "" {
			list = append(list, [2]string{again + " " + flag, why})
		}
		if o.page == "" {
			list = append(list, [2]string{"polydag report " + shellWord(o.json) + " --output report.html", "interactive report"})
		}
	} else if again != "" && o.page == "" {
		list = append(list, [2]string{again + " --report report.html", "interactive report"})
	}
	if again != "" && len(list) < 2 && res.Confidence == nil && len(res.Edges) > 0 && res.Table.Format != files.Moments {
		list = append(list, [2]string{again + " --bootstrap 200", "confidence by resampling"})
	}
	return list[:min(len(list), 3)]
}

func isPicture(f report.Format) bool { return slices.Contains(draw.Formats(), draw.Format(f.Name)) }

// render returns a function that writes a result in a format. A layout ends with ctx.
func render(ctx context.Context, f report.Format, res *polydag.Result) func(io.Writer) error {
	if isPicture(f) {
		return func(w io.Writer) error { return draw.Write(ctx, w, draw.Format(f.Name), res, draw.DefaultSettings()) }
	}
	return f.Write(res)
}

// allFormats returns the formats of package report and the pictures.
func allFormats() report.Registry { return append(report.Formats(), pictureFormats()...) }

// pictureFormats returns the formats of package draw with their defaults.
func pictureFormats() []report.Format {
	var formats []report.Format
	for _, kind := range draw.Formats() {
		formats = append(formats, report.Format{
			Name: string(kind), Extensions: []string{"." + string(kind)}, Description: "picture (" + strings.ToUpper(string(kind)) + "), layered layout; polydag draw has options", Marks: true, Undirected: true,
			Write: func(res *polydag.Result) func(io.Writer) error {
				return func(w io.Writer) error { return draw.Write(context.Background(), w, kind, res, draw.DefaultSettings()) }
			},
		})
	}
	return formats
}

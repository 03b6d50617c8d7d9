package commands

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/annotation"
	"github.com/polydag/polydag/internal/names"
)

func (a *app) annotationCommand(f annotation.Format) *cobra.Command {
	set := annotation.DefaultSettings()
	var output, group string
	cmd := &cobra.Command{
		Use:   f.Name + " PATH...",
		Short: f.Title,
		Long: fmt.Sprintf(`%s.

PATH: %s; plain or .gz.
The table has one row per image. Its first column, image, has the names of the images; polydag learn
excludes it from the graph. The other columns are the categories, sorted by name.`, f.Title, f.Paths),
		Example: fmt.Sprintf("  polydag dataset %s %s --output table.csv", f.Name, f.Try),
		Args:    cobra.MinimumNArgs(1),
	}
	flags := command.Ordered(cmd)
	chosen := map[annotation.Values]*bool{}
	for _, v := range f.Values {
		chosen[v] = flags.Bool(string(v), false, valueHelp[v])
	}
	flags.Float64Var(&set.MinShare, "min-share", set.MinShare, "leave out categories that are in a smaller share of the images (0–1)")
	if f.Groups {
		flags.StringVar(&group, "group", "", "supercategory: one column for each supercategory")
	}
	flags.StringVarP(&output, "output", "o", "-", "write the table to this file (.csv, .tsv, .csv.gz or .parquet; - for CSV on standard output)")

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		set := set
		given := 0
		for _, v := range f.Values {
			if *chosen[v] {
				set.Values = v
				given++
			}
		}
		if given > 1 {
			return command.Usagef("--set presence, --set count, --set area and --set score exclude each other; give one of them")
		}
		if set.Group = group != ""; set.Group && group != "supercategory" {
			return command.Usagef("--set group=%s: want supercategory", group)
		}
		format, err := command.TableFormat("--output", output)
		if err != nil {
			return err
		}
		if !format.Text() {
			return command.Usagef("--output %s: this format has no text for the names of the images; use .csv or .parquet", output)
		}
		if err := a.Writable(output); err != nil {
			return err
		}
		bar := a.Bar()
		set.Observe = bar.Reading
		t, err := annotation.Read(cmd.Context(), f.Name, args, set)
		bar.Clear()
		if errors.Is(err, annotation.ErrSettings) {
			return command.Usage(err)
		}
		if err != nil {
			return err
		}
		if err := a.WriteTable(cmd.Context(), output, format, withImages(t.Categories, t.Images, t.Rows())); err != nil {
			return err
		}
		for _, note := range t.Notes {
			a.Note(note + " (--set min-share)")
		}
		if output != "-" {
			a.Line(fmt.Sprintf("%s × %s written to %s", names.Count(len(t.Images), "image"), names.Count(len(t.Categories), "column"), output))
		}
		return nil
	}
	return cmd
}

// valueHelp has the help of the flags for the numbers of a table.
var valueHelp = map[annotation.Values]string{
	annotation.Presence: "write 1 where an image has the category, else 0 (default)",
	annotation.Count:    "write the number of objects of each category",
	annotation.Area:     "write the share of the image that the objects cover (0–1)",
	annotation.Score:    "write the scores of the attributes",
}

// withImages returns a table with the names of the images before its columns.
func withImages(columns, images []string, values iter.Seq[[]float64]) files.Content {
	name := "image"
	for slices.Contains(columns, name) {
		name += "_file"
	}
	words := make([][]string, 1+len(columns))
	words[0] = images
	rows := func(yield func([]float64) bool) {
		row, i := make([]float64, 1+len(columns)), 0
		for own := range values {
			row[0] = float64(i)
			copy(row[1:], own)
			if !yield(row) {
				return
			}
			i++
		}
	}
	return files.Content{Names: append([]string{name}, columns...), Count: len(images), Rows: rows, Words: words}
}

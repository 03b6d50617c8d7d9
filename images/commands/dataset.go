package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/annotation"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/names"
)

func (a *app) datasetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dataset",
		Short: "Convert a published dataset or image annotations to a table",
		Long: `Dataset reads the original files of some published datasets, verifies them (rows, names, known shares
and means) and writes a table for polydag learn. It also reads the common formats of image
annotations, with one row per image. It downloads nothing: "polydag dataset list" shows the source,
the file and the terms of each.`,
		Example: `  polydag dataset list
  polydag dataset coco instances_val2017.json --output objects.csv
  polydag dataset celeba-hq CelebAMask-HQ-attribute-anno.txt --set paper --output celeba8.csv
  polydag dataset sachs sachs.csv | polydag learn - --output result.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Usagef("unknown dataset %q; polydag dataset list names those there are", args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.datasetListCommand(), a.sachsEdgesCommand())
	for _, s := range provider.All() {
		cmd.AddCommand(a.providerCommand(s))
	}
	for _, f := range annotation.Formats() {
		cmd.AddCommand(a.annotationCommand(f))
	}
	return cmd
}

// providerExamples are the examples of each dataset's command.
var providerExamples = map[string][]string{
	"celeba": {
		"polydag dataset celeba list_attr_celeba.txt --set paper --output celeba8.csv",
		"polydag dataset celeba list_attr_celeba.txt --set attributes=Male,Young,Smiling --set split=train --output train.csv",
	},
	"celeba-hq": {"polydag dataset celeba-hq CelebAMask-HQ-attribute-anno.txt --set paper --output celeba8.csv"},
	"ffhq": {
		"polydag dataset ffhq json --missing columns --output ffhq.csv",
		"polydag dataset ffhq json --set attributes=age,male,glasses,bald | polydag learn - --output result.json",
	},
	"sachs": {"polydag dataset sachs sachs.csv --output cells.csv && polydag learn cells.csv --set log='*'"},
}

// providerCommand returns the command that reads one dataset, with the flags of that dataset.
func (a *app) providerCommand(s provider.Source) *cobra.Command {
	opt := provider.DefaultSettings()
	var output, partition string
	var paper, images bool
	var rows int
	cmd := &cobra.Command{
		Use:   s.Name + " PATH",
		Short: s.Title,
		Long: fmt.Sprintf(`%s: %s.

From   %s
File   %s
Terms  %s

PATH is that file ("-" is standard input). The table is written to standard output unless --output
names a file. Dropped rows and columns are reported on standard error.`, s.Title, s.Shape, s.Page, s.File, s.Terms),
		Example: "  " + strings.Join(providerExamples[s.Name], "\n  "),
		Args:    command.ExactArgs(1, "the path of one file"),
	}
	f := command.Ordered(cmd)
	f.StringSliceVar(&opt.Attributes, "attributes", nil, "columns to keep, in this order, comma-separated (default all)")
	switch s.Name {
	case "celeba", "celeba-hq":
		f.BoolVar(&paper, "paper", false, "keep the eight attributes of the paper: "+strings.Join(provider.PaperAttributes(), ", "))
		f.BoolVar(&images, "image-names", false, "add the column image with the names of the images, for polydag report --images")
	case "ffhq":
		f.StringVar(&opt.Missing, "missing", opt.Missing, "what to drop for images without hair colors: rows (those images) or columns (the six colors)")
	case "sachs":
		f.StringVar(&opt.Condition, "condition", opt.Condition, "experimental condition: 1 (observational) to 14, a label such as pma, main (1 to 9), or all")
	}
	if s.Name == "celeba" {
		f.StringVar(&opt.Split, "split", "", "keep one part: train, valid or test")
		f.StringVar(&partition, "partition", "", "file list_eval_partition.txt (default: the one next to PATH)")
	}
	f.IntVar(&rows, "rows", 0, "keep the first N selected rows (default all)")
	f.BoolVar(&opt.Force, "force", false, "accept a file that differs from the published one, with a warning")
	f.StringVarP(&output, "output", "o", "-", "write the table to this file (.csv, .tsv, .csv.gz, .parquet, .npy or .npz; - for CSV on standard output)")

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if paper {
			if opt.Attributes != nil {
				return command.Usagef("--set paper and --set attributes exclude each other; give one of them")
			}
			opt.Attributes = provider.PaperAttributes()
		}
		if cmd.Flags().Changed("rows") {
			opt.Rows = rows
		}
		if partition != "" && opt.Split == "" {
			return command.Usagef("--set partition needs --set split=train, valid or test")
		}
		format, err := command.TableFormat("--output", output)
		if err != nil {
			return err
		}
		if images && !format.Text() {
			return command.Usagef("--output %s: this format has no text for the names of the images; use .csv or .parquet", output)
		}
		if err := a.Writable(output); err != nil {
			return err
		}
		if opt.Split != "" {
			r, err := a.openPartition(cmd.Context(), partition, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			opt.Partition = r
		}
		t, notes, err := a.readSource(cmd.Context(), s, args[0], opt)
		var mismatch *provider.MismatchError
		switch {
		case errors.Is(err, provider.ErrSettings):
			return command.Usage(err)
		case errors.As(err, &mismatch):
			return fmt.Errorf("%w (--set force accepts it with a warning)", err)
		case err != nil:
			return err
		}
		content := files.Content{Names: t.Names, Count: t.Rows.Rows, Rows: dataset.RowsOf(t.Rows)}
		if images {
			content = withImages(t.Names, t.Images, dataset.RowsOf(t.Rows))
		}
		if err := a.WriteTable(cmd.Context(), output, format, content); err != nil {
			return err
		}
		for _, note := range notes {
			a.Line(command.Worded(note))
		}
		if output != "-" {
			a.Line(fmt.Sprintf("%s × %s written to %s", names.Count(t.Rows.Rows, "row"), names.Count(t.Rows.Cols, "column"), output))
		}
		return nil
	}
	return cmd
}

// readSource reads a file, or a folder for FFHQ.
func (a *app) readSource(ctx context.Context, s provider.Source, path string, opt provider.Settings) (*dataset.NamedRows, []string, error) {
	opt.File = path
	if st, err := os.Stat(path); err == nil && st.IsDir() && s.Name == "ffhq" {
		return provider.FFHQFolder(ctx, os.DirFS(path), opt)
	}
	r, name, err := a.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	opt.File = name
	return s.Read(r, opt)
}

// openPartition opens the partition file, by default the one next to the list.
func (a *app) openPartition(ctx context.Context, path, list string) (io.ReadCloser, error) {
	if path != "" {
		r, _, err := a.Open(ctx, path)
		return r, err
	}
	const base = "list_eval_partition"
	for _, name := range []string{base + ".txt", base + ".txt.gz", base + ".csv"} {
		if f, err := os.Open(filepath.Join(filepath.Dir(list), name)); err == nil {
			return f, nil
		}
	}
	return nil, command.Usagef("--set split needs %s.txt, which is not beside %s; name it with --set partition", base, list)
}

func (a *app) datasetListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the datasets with their source, file and terms",
		Example: "  polydag dataset list",
		Args:    command.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Write(cmd.Context(), "-", func(w io.Writer) error {
				fmt.Fprintln(w, "Nothing is downloaded and nothing of these datasets is part of polydag. Get the file from its provider, under\nits terms, then run polydag dataset NAME FILE.")
				for _, s := range provider.All() {
					fmt.Fprintf(w, "\n%s: %s\n", s.Name, s.Title)
					for _, line := range [][2]string{{"from", s.Page}, {"file", s.File}, {"sha256", cmp.Or(s.Sum, "–")}, {"shape", s.Shape}, {"terms", s.Terms}, {"caveats", s.Caveats}, {"cite", s.Cite}} {
						fmt.Fprintf(w, "  %-8s %s\n", line[0], folded(line[1], 96, "           "))
					}
				}
				fmt.Fprintln(w, "\nFormats of image annotations, read without a check of their content:")
				for _, f := range annotation.Formats() {
					fmt.Fprintf(w, "  %-13s %s; pass %s\n", f.Name, f.Title, f.Paths)
				}
				_, err := fmt.Fprintln(w)
				return err
			})
		},
	}
}

func (a *app) sachsEdgesCommand() *cobra.Command {
	var output string
	var lines []string
	for _, n := range provider.SachsNetworks() {
		lines = append(lines, fmt.Sprintf("  %-11s %s", n.Name, n.Source))
	}
	cmd := &cobra.Command{
		Use:   "sachs-edges NETWORK",
		Short: "Write a published network of the Sachs et al. data as an edge list",
		Long: `Sachs-edges writes the edges of a published network, for polydag evaluate --truth. Publications
disagree on the true network, so report which one you used. NETWORK is one of

` + strings.Join(lines, "\n"),
		Example: `  polydag dataset sachs-edges 17 --output truth.csv
  polydag dataset sachs sachs.csv | polydag learn - --output cells.json && polydag dataset sachs-edges 17 | polydag evaluate --truth - cells.json`,
		Args: command.ExactArgs(1, "the name of one network"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.EdgeListName("--output", output); err != nil {
				return err
			}
			if output == "" {
				return command.Usagef("the name of the output file is empty; name a file, or - for standard output")
			}
			links, err := provider.SachsEdges(args[0])
			if err != nil {
				return command.Usage(err)
			}
			edges := make([]command.Edge, len(links))
			for k, link := range links {
				edges[k].Link = link
			}
			return a.WriteEdges(cmd.Context(), output, edges)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "write the edges to this CSV file (- for standard output)")
	return cmd
}

// folded breaks text at spaces into lines of at most width characters, each except the first preceded by
// indent.
func folded(text string, width int, indent string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + indent)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

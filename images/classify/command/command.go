// Package command is the command line of polydag-images.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/classify"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/atomicfile"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/visible"
)

// These are the exit codes, as those of polydag.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitStopped = 3 // stopped early; the result so far is written
)

// usageError marks an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs one command line and returns the exit code. Ctrl-C and SIGTERM end it; the same command continues later.
func Main(ctx context.Context, args []string, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	shown, said := visible.NewWriter(out), visible.NewWriter(errw)
	cmd := newCommand(said)
	cmd.AddCommand(newVAE(shown, said))
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetArgs(args)
	cmd.SetOut(shown)
	cmd.SetErr(said)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(said, "polydag-images: %v\n", err)
	var usage usageError
	switch {
	case errors.As(err, &usage), errors.Is(err, classify.ErrSettings), errors.Is(err, polydag.ErrConfig):
		return exitUsage
	case errors.Is(err, errStopped):
		return exitStopped
	}
	return exitFailure
}

func newCommand(errw *visible.Writer) *cobra.Command {
	o := &options{Settings: classify.DefaultSettings(), err: errw}
	o.Threads = runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "polydag-images DIR --model MODEL.onnx --labels LABELS.txt --output TABLE.parquet",
		Short: "Make a table from a folder of images with a classifier",
		Long: `polydag-images runs an image classifier or attribute model over a folder and writes one row per image. The
first column, classified_image, has the file names; polydag learn excludes it from the graph. The other columns are
the probabilities of the labels, or decisions with --decide.

DIR may have sub-folders. Images are JPEG, PNG, WebP or GIF, turned upright by their EXIF orientation. Images that
cannot be read are listed and skipped. An interrupted run continues where it stopped.

The model is an ONNX file with one input for one color image. Its preprocessing comes from flags, or from a JSON file
beside the model: MODEL.json, or preprocessor_config.json of the Hugging Face hub. Flags take precedence.

Labels of a classifier have errors: label some images by hand and give them to polydag learn --validation.`,
		Example: `  polydag-images photos --model attributes.onnx --labels labels.txt --activation sigmoid --decide --output table.parquet
  polydag-images photos --model model.onnx --labels labels.txt --embedding vectors.parquet --output table.parquet
  polydag learn table.parquet --groups person`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%d arguments, want one folder with images; see polydag-images --help", len(args))
			}
			return nil
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%w; see polydag-images --help", err) })
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.model, "model", "", "image model in the ONNX format")
	f.StringVar(&o.labels, "labels", "", "file with the label of each output of the model, one per line")
	f.StringVarP(&o.output, "output", "o", "", "write the table to this file (.parquet, .csv, .tsv or .csv.gz)")
	f.StringVar(&o.activation, "activation", "", "how outputs become probabilities: softmax (each image has one label), sigmoid (labels are independent) or none; may be left out if the model ends with one of them")
	f.BoolVar(&o.Decide, "decide", false, "write decisions instead of probabilities: 0 or 1 per label, or one column label if labels exclude each other")
	f.Float64Var(&o.Threshold, "threshold", o.Threshold, "least probability of a decision 1 (0–1)")
	f.StringVar(&o.size, "size", "", "size of the input in pixels, as 224 or HEIGHTxWIDTH (default: that of the model)")
	f.BoolVar(&o.Crop, "crop", false, "keep the proportions of an image and cut off its longer side, instead of stretching it")
	f.IntVar(&o.Short, "short", 0, "--crop: scale the shorter side to this length before the cut, such as 256 (default: cut as little as possible)")
	f.Float64Var(&o.Scale, "scale", o.Scale, "factor of the pixel values 0–255")
	f.StringVar(&o.mean, "mean", "", "subtract these means of red, green and blue after --scale, such as 0.485,0.456,0.406")
	f.StringVar(&o.std, "std", "", "divide by these standard deviations after --mean, such as 0.229,0.224,0.225")
	f.StringVar(&o.layout, "layout", "", "order of the axes: nchw (channels first) or nhwc (default: from the model)")
	f.BoolVar(&o.BGR, "bgr", false, "the model reads blue first")
	f.StringVar(&o.embedding, "embedding", "", "write the vector of each image to this file")
	f.StringVar(&o.Feature, "embedding-value", "", "name of the value in the model with the vector (default: the input of the last linear layer)")
	f.Float64Var(&o.Near, "near", o.Near, "largest difference of near duplicates: root mean square over a thumbnail, 0–1; they have the same number in the column classified_group, which polydag learn uses")
	f.StringVar(&o.skipped, "skipped", "", "write the list of skipped images with the reasons to this file")
	f.BoolVar(&o.restart, "restart", false, "ignore the saved rows of an interrupted run")
	f.IntVar(&o.Threads, "threads", o.Threads, "number of images that are classified at the same time")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only errors")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) }
	return cmd
}

// options are the flags.
type options struct {
	classify.Settings
	model, labels, output, activation, size, mean, std, layout, embedding, skipped string
	restart, quiet                                                                 bool
	err                                                                            *visible.Writer
}

func (o *options) run(cmd *cobra.Command, dir string) error {
	for _, f := range []struct{ flag, value string }{{"model", o.model}, {"labels", o.labels}, {"output", o.output}} {
		if f.value == "" {
			return usagef("--%s is missing; see polydag-images --help", f.flag)
		}
	}
	writer, err := tableWriter("--output", o.output)
	if err != nil {
		return err
	}
	var vectors files.Writer
	if o.Vectors = o.embedding != ""; o.Vectors {
		if vectors, err = tableWriter("--embedding", o.embedding); err != nil {
			return err
		}
	} else if o.Feature != "" {
		return usagef("--embedding-value needs --embedding FILE")
	}
	settings, err := o.settings(cmd)
	if err != nil {
		return err
	}
	labels, err := classify.Labels(o.labels)
	if err != nil {
		return err
	}
	folder, err := pictures.Open(dir)
	if err != nil {
		return usageError{err}
	}
	defer folder.Close()
	line := &progress{w: o.err, off: o.quiet, unit: "images"}
	settings.Progress = line.show
	model, err := classify.Open(o.model, labels, settings)
	if err != nil {
		return err
	}
	partial := o.output + ".partial"
	if o.restart {
		os.Remove(partial)
	}
	saved, err := model.Resume(partial)
	if err != nil {
		return err
	}
	table, err := model.Run(cmd.Context(), folder, saved)
	line.clear()
	if e := saved.Close(); err == nil {
		err = e
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; the same command continues (%s)", partial)
	}
	if table != nil {
		err = errors.Join(err, o.list(table.Skipped))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	content := model.Content(table)
	if err := atomicfile.Write(o.output, func(w io.Writer) error { return writer.Write(w, content) }); err != nil {
		return err
	}
	if o.Vectors {
		if err := atomicfile.Write(o.embedding, func(w io.Writer) error { return vectors.Write(w, table.VectorContent()) }); err != nil {
			return err
		}
	}
	os.Remove(partial)
	o.tell(table, content)
	return nil
}

// tell prints what was written.
func (o *options) tell(t *classify.Predictions, content files.Content) {
	if o.quiet {
		return
	}
	if t.Resumed > 0 {
		fmt.Fprintf(o.err, "note: %s from an interrupted run\n", names.Count(t.Resumed, "image"))
	}
	if t.Groups != nil {
		groups := slices.Max(t.Groups)
		fmt.Fprintf(o.err, "note: %s in %s of near duplicates (column %s)\n", names.Count(len(t.Images), "image"), names.Count(groups, "group"), content.Names[1])
	}
	fmt.Fprintf(o.err, "%s × %s written to %s\n", names.Count(len(t.Images), "image"), names.Count(len(content.Names)-1, "column"), o.output)
	fmt.Fprintln(o.err, "note: the labels have errors; label some images by hand for polydag learn --validation")
}

// list reports the skipped images.
func (o *options) list(skipped []classify.Skipped) error {
	const show = 8
	if !o.quiet {
		for _, s := range skipped[:min(show, len(skipped))] {
			fmt.Fprintf(o.err, "warning: image %q skipped: %s\n", s.Image, s.Cause())
		}
	}
	if more := len(skipped) - show; more > 0 && !o.quiet {
		fmt.Fprintf(o.err, "warning: %s skipped; --skipped FILE lists all\n", names.Count(more, "more image"))
	}
	if o.skipped == "" {
		return nil
	}
	return atomicfile.Write(o.skipped, func(w io.Writer) error {
		for _, s := range skipped {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", visible.Name(s.Image), s.Cause()); err != nil {
				return err
			}
		}
		return nil
	})
}

// tableWriter returns the writer for a file of text and numbers.
func tableWriter(flag, file string) (files.Writer, error) {
	w, err := files.WriterFor(file)
	if err != nil {
		return w, usagef("%s %s: %w", flag, file, err)
	}
	if !w.Text() {
		return w, usagef("%s %s: this format has no text for the names of the images; use .csv or .parquet", flag, file)
	}
	return w, nil
}

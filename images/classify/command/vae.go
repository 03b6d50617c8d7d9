package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/images/causalvae"
	"github.com/polydag/polydag/images/classify"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/atomicfile"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/solve"
)

// vae holds the flags of polydag-images vae.
type vae struct {
	settings                                  *causalvae.Settings
	labels, column, output, table, checkpoint string
	factors, side, threads                    int
	heldOut                                   float64
	seed                                      uint64
	color, quiet                              bool
	out, err                                  *visible.Writer

	images []string
	data   *causalvae.Images
	truth  *matrix.Dense[float64] // labels of all images; NaN is missing
}

func newVAE(out, errw *visible.Writer) *cobra.Command {
	v := &vae{settings: causalvae.New(), threads: runtime.NumCPU(), out: out, err: errw}
	cmd := &cobra.Command{
		Use:   "vae DIR --labels LABELS.csv --output RESULT.json",
		Short: "Learn factors of images and their graph with CausalVAE",
		Long: `polydag-images vae trains a variational autoencoder whose latent variables are the variables of a causal graph
(CausalVAE, Yang et al. 2021). It writes the graph to --output, as polydag learn does, and the factors of each image
to --table.

LABELS.csv has the name of each image and one number per factor. Images that it does not list, and rows with missing
values, are trained on without labels. Without --labels the factors have no names, and nothing in the images
identifies them.

With labels for every image, polydag learn LABELS.csv is faster and more accurate.`,
		Example: `  polydag simulate --images pictures --set scene=pendulum --set image-side=32 --output factors.csv --truth truth.csv
  polydag-images vae pictures --labels factors.csv --output result.json --table latents.csv
  polydag evaluate --truth truth.csv result.json`,
		SilenceUsage: true, SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%d arguments, want one folder with images; see polydag-images vae --help", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&v.labels, "labels", "", "table with the name of each image and one number per factor")
	f.StringVar(&v.column, "image-column", "image", "column of --labels with the names of the images")
	f.StringVarP(&v.output, "output", "o", "", "write the result to this JSON file")
	f.StringVar(&v.table, "table", "", "write the factors of each image to this file (.parquet, .csv, .tsv or .csv.gz)")
	f.IntVar(&v.factors, "factors", 4, "number of factors without --labels")
	f.IntVar(&v.side, "size", 32, "width and height in pixels that images are scaled to (8–128)")
	f.BoolVar(&v.color, "color", false, "read colors instead of the mean of red, green and blue")
	f.Float64Var(&v.heldOut, "held-out", 0.2, "share of the images that is not trained on, to measure how well factors are recovered (0–0.9)")
	f.Uint64Var(&v.seed, "seed", 1, "random seed")
	f.IntVar(&v.threads, "threads", v.threads, "number of threads; does not change the result")
	f.StringVar(&v.checkpoint, "checkpoint", "", "save the state in this folder, so that the same command resumes an interrupted run")
	f.BoolVarP(&v.quiet, "quiet", "q", false, "print only errors")
	set := param.Of(v.settings)
	for _, it := range set.Items() {
		f.Var(&setting{set, it}, it.Name, it.Help)
	}
	return cmd
}

// setting is a setting of the method as a flag.
type setting struct {
	set  *param.Set
	item *param.Item
}

func (s *setting) String() string {
	if s.item == nil { // the zero value, which pflag compares with the default
		return ""
	}
	return s.item.Text()
}
func (s *setting) Set(text string) error { return s.set.Set(s.item.Name, text) }
func (s *setting) Type() string          { return string(s.item.Type) }

// errStopped is the error of a run that was stopped early and wrote its result.
var errStopped = errors.New("stopped early; the result so far is written")

func (v *vae) run(cmd *cobra.Command, dir string) error {
	if err := v.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	folder, err := pictures.Open(dir)
	if err != nil {
		return usageError{err}
	}
	defer folder.Close()
	if err := v.read(ctx, folder); err != nil {
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted before the training; there is no result")
		}
		return fmt.Errorf("%s: %w", dir, err)
	}
	start := time.Now()
	fitted, err := v.fit(ctx)
	if err != nil {
		return err
	}
	trained := time.Since(start).Seconds()
	after := context.WithoutCancel(ctx) // a stopped run still writes its result
	table, err := polydag.FromRows(fitted.Names, fitted.Rows())
	if err != nil {
		return err
	}
	table.Source.Name, table.Source.Format = filepath.Base(filepath.Clean(dir)), "images"
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Seed, cfg.Threads, cfg.CheckScale = fitted, v.seed, v.threads, polydag.CheckScaleNever
	res, err := table.Learn(after, cfg, polydag.Run{})
	if err != nil {
		return err
	}
	res.Timing.SolveSeconds += trained
	recovered := v.recovery(fitted)
	for _, r := range recovered {
		res.Table.Notes = append(res.Table.Notes, r.sentence())
	}
	if err := atomicfile.Write(v.output, report.JSON(res)); err != nil {
		return err
	}
	if err := v.writeTable(fitted); err != nil {
		return err
	}
	if !v.quiet {
		v.tell(recovered)
		err = report.TextWith(res, report.TextSettings{})(v.out)
	}
	if err == nil && res.Status == solve.Canceled {
		return errStopped
	}
	return err
}

// check reports invalid flags before any work.
func (v *vae) check(cmd *cobra.Command) error {
	if v.output == "" {
		return usagef("--output is missing; see polydag-images vae --help")
	}
	if v.table != "" {
		if _, err := tableWriter("--table", v.table); err != nil {
			return err
		}
	}
	switch {
	case v.labels == "" && cmd.Flags().Changed("image-column"):
		return usagef("--image-column has no effect without --labels")
	case v.labels != "" && cmd.Flags().Changed("factors"):
		return usagef("--factors has no effect with --labels, which has one factor per column")
	case v.factors < 2 || v.factors > 100:
		return usagef("--factors %d: want 2–100", v.factors)
	case v.side < 8 || v.side > 128:
		return usagef("--size %d: want 8–128 pixels", v.side)
	case !(v.heldOut >= 0 && v.heldOut <= 0.9):
		return usagef("--held-out %g: want 0–0.9", v.heldOut)
	case v.threads < 1:
		return usagef("--threads %d: want at least 1", v.threads)
	}
	if err := param.Of(v.settings).Finish(); err != nil {
		return usageError{err}
	}
	return nil
}

// read reads the images and their labels, and chooses the images that are held out.
func (v *vae) read(ctx context.Context, folder *pictures.Folder) error {
	images, pixels, skipped, err := classify.Pixels(ctx, folder, v.side, v.color, v.threads)
	if err != nil {
		return err
	}
	v.images, v.data = images, &causalvae.Images{Pixels: pixels, Held: make([]bool, len(images))}
	if len(skipped) > 0 && !v.quiet {
		fmt.Fprintf(v.err, "warning: %s skipped; the first, %q: %s\n", names.Count(len(skipped), "image"), visible.Name(skipped[0].Image), skipped[0].Cause())
	}
	for i := range images { // the images are sorted, so hold out every k-th
		v.data.Held[i] = math.Floor(float64(i+1)*v.heldOut) > math.Floor(float64(i)*v.heldOut)
	}
	if v.labels == "" {
		for j := range v.factors {
			v.data.Names = append(v.data.Names, fmt.Sprintf("factor%d", j+1))
		}
		return nil
	}
	return v.readLabels(ctx, folder)
}

// fit trains the autoencoder, with progress and a checkpoint.
func (v *vae) fit(ctx context.Context) (*causalvae.Fitted, error) {
	line := &progress{w: v.err, off: v.quiet, unit: "steps"}
	defer line.clear()
	how := stage.Settings{Observe: func(p stage.Progress) { line.show(p.Step, p.Steps) }, Every: polydag.SaveEvery}
	if v.checkpoint != "" {
		dir, err := polydag.OpenCheckpoint(v.checkpoint)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		how.Store = dir
	}
	key, err := v.settings.Key(v.data, v.seed)
	if err != nil {
		return nil, err
	}
	run, err := stage.New(key, how)
	if err != nil {
		return nil, err
	}
	return v.settings.Fit(ctx, v.data, v.seed, v.threads, run)
}

// held returns the images that are held out and have labels.
func (v *vae) held() (out []int) {
	for i, held := range v.data.Held {
		if held && v.truth != nil && !slices.ContainsFunc(v.truth.Row(i), math.IsNaN) {
			out = append(out, i)
		}
	}
	return out
}

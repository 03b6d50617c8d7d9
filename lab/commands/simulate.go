package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/sim"
)

// simulation holds the flags of simulate.
type simulation struct {
	cfg                                 sim.Settings
	series                              sim.SeriesSettings // for --lags
	rows, threads                       int
	output, truth                       string
	model, graph, design, noise, kind   string
	noiseVariance, rootVariance, levels string
	codes                               bool
	images, scene                       string // folder for one image per row, and what the images show
	side                                int    // side of an image in pixels
	from                                string // result whose model is drawn from
	data, set                           []string
	format                              files.Writer
	given                               func(flag string) bool
}

func (a *app) simulateCommand() *cobra.Command {
	s := &simulation{cfg: sim.Default(), rows: 1000, threads: runtime.NumCPU()}
	s.cfg.Seed, s.series = 1, sim.DefaultSeries()
	s.series.Lags = 0
	cmd := &cobra.Command{
		Use:   "simulate --output DATA.csv --truth TRUTH.csv",
		Short: "Simulate a table from a random graph or from a learned model",
		Long: `Simulate draws a random DAG, a mechanism for each column given its parents, and a table. It writes the
table to --output and the true edges to --truth, with weights for linear effects.

Mechanisms (--model):
  linear    weighted sum of the parents
  additive  sum of one nonlinear function per parent (Gaussian process)
  joint     one nonlinear function of all parents (Gaussian process)
  mlp       neural network
  discrete  conditional probability tables; all columns are categorical
  mixed     half of the columns categorical (multinomial logit), half numeric
  logit     additive effects in a multinomial logit; all columns are categorical
  ordinal   linear effects in a cumulative logit; all columns are ordered categories

--set interventions=N intervenes on N sets of columns in turn. Rows are assigned to the sets at random,
and the column target lists the targets of each row, separated by ; (empty for observational rows).
--environments N creates N environments with different mechanisms for some columns; the column environment
holds the environment of each row.

--lags N simulates a stationary time series with edges of up to N time steps, linear, additive or
logit. Each column also depends on its own last value. The column time counts the steps, and the truth
has the header from,to,weight,lag.

--images DIR draws one small image per row, with one shape per column (discrete, logit or ordinal).
--set scene=pendulum draws a light, a pendulum and its shadow instead. The columns are then the angle of
the pendulum, the position of the light, and length and position of the shadow, which both affect.

--from RESULT.json draws rows from the model of a result instead; --do intervenes on columns. A
linear model is in the result, and other models need --data, the table that it was learned from.
--from NETWORK.bif draws rows from a published discrete network.`,
		Example: `  polydag simulate --graph er --nodes 100 --set degree=4 --rows 1000 --seed 1 --output data.csv --truth truth.csv
  polydag simulate --graph sf --nodes 50 --set noise=laplace --standardize --output data.csv --truth truth.csv
  polydag simulate --model mixed --nodes 50 --edges 100 --rows 2000 --output data.csv --truth truth.csv
  polydag simulate --lags 2 --nodes 10 --rows 500 --output series.csv --truth truth.csv
  polydag simulate --nodes 20 --edges 80 --set weight-low=0.25 --set weight-high=1 --set interventions=20 --rows 10000 --output data.csv --truth truth.csv
  polydag simulate --images pictures --set scene=pendulum --output factors.csv --truth truth.csv
  polydag simulate --from result.json --rows 10000 --do age=40 --output drawn.csv
  polydag simulate --from asia.bif --rows 5000 --output asia.csv`,
		Args: command.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.given = cmd.Flags().Changed
			if err := s.check(); err != nil {
				return err
			}
			if isNetwork(s.from) {
				return a.writeNetwork(cmd.Context(), s)
			}
			if s.from != "" {
				return a.WriteLearned(cmd.Context(), command.Draws{Result: s.from, Tables: s.data, Do: s.set, Seed: s.cfg.Seed, Rows: s.rows, Output: s.output, Truth: s.truth, Format: s.format})
			}
			if err := a.Writable(s.truth); err != nil {
				return err
			}
			if s.scene != shapes {
				return a.simulatePendulum(cmd.Context(), s)
			}
			if s.series.Lags > 0 {
				p, err := s.process(cmd)
				if err != nil {
					return err
				}
				return a.simulateSeries(cmd.Context(), s, p)
			}
			if err := fitsModel(cmd.Context(), s.cfg.Memory()); err != nil {
				return err
			}
			model, err := sim.New(s.cfg)
			if err != nil {
				return err
			}
			if err := a.writeSample(cmd.Context(), s, model); err != nil {
				return err
			}
			if err := a.WriteEdges(cmd.Context(), s.truth, trueEdges(model)); err != nil {
				return err
			}
			a.Line(fmt.Sprintf("%s × %s from a graph with %s%s", names.Count(s.rows, "row"), names.Count(s.cfg.Nodes, "column"), names.Count(len(model.Edges()), "edge"), settingsOf(model)))
			return nil
		},
	}
	s.flags(cmd.Flags())
	return cmd
}

func (s *simulation) flags(f *pflag.FlagSet) {
	c := &s.cfg
	s.model, s.graph, s.design, s.noise, s.kind = c.Mechanism.String(), c.Graph.String(), c.Design.String(), c.Noise.String(), c.Intervention.String()
	s.levels = fmt.Sprintf("%d,%d", c.LevelsLow, c.LevelsHigh)
	f.SortFlags = false
	f.StringVarP(&s.output, "output", "o", "", "write the table to this file (.csv, .tsv, .csv.gz, .parquet, .npy or .npz; - for CSV on standard output)")
	f.StringVar(&s.from, "from", "", "draw rows from the model of this result, or from this network in the format BIF, instead of a random one")
	f.StringArrayVar(&s.data, "data", nil, "--from: table that the result was learned from, for models that are not linear; repeat for several files")
	f.StringArrayVar(&s.set, "do", nil, "--from: intervene on a column, as NAME=VALUE, comma-separated; repeatable")
	f.StringVar(&s.truth, "truth", "", "write the true edges to this file, with the header from,to,weight (no weight for nonlinear effects)")
	f.StringVar(&s.model, "model", s.model, "mechanism: linear, additive, joint, mlp, discrete, mixed, logit or ordinal")
	f.StringVar(&s.graph, "graph", s.graph, "random graph: er (Erdős–Rényi), sf (scale-free, hubs are causes) or sfin (scale-free, hubs are effects)")
	f.StringVar(&s.design, "design", s.design, "linear: how variances depend on the causal order: plain, iscm (columns standardized while simulating), flat (constant noise share), hetero (noise over two orders of magnitude) or anti (R² decreases along the order)")
	f.IntVar(&c.Nodes, "nodes", c.Nodes, "number of columns")
	f.Float64Var(&c.Degree, "degree", c.Degree, "expected node degree (in and out)")
	f.IntVar(&c.Edges, "edges", c.Edges, "exact number of edges of an er graph, instead of --set degree; 0 to use --set degree")
	f.IntVar(&s.rows, "rows", s.rows, "number of rows")
	f.StringVar(&s.noise, "noise", s.noise, "noise distribution: gaussian, exponential, gumbel, uniform, laplace or student (t, 5 degrees of freedom)")
	f.Float64Var(&c.SDLow, "noise-low", c.SDLow, "smallest standard deviation of the noise of a column")
	f.Float64Var(&c.SDHigh, "noise-high", c.SDHigh, "largest standard deviation; each column draws its own between the two")
	f.StringVar(&s.noiseVariance, "noise-variance", "", "range LOW,HIGH of the noise variance, instead of --set noise-low and --set noise-high")
	f.StringVar(&s.rootVariance, "root-variance", "", "range LOW,HIGH of the variance of columns without parents")
	f.Float64Var(&c.WeightLow, "weight-low", c.WeightLow, "linear: smallest absolute weight")
	f.Float64Var(&c.WeightHigh, "weight-high", c.WeightHigh, "linear: largest absolute weight")
	f.Float64Var(&c.WeightScale, "weight-scale", c.WeightScale, "linear: factor for all weights")
	f.StringVar(&s.levels, "levels", s.levels, "categorical columns: range LOW,HIGH of the number of categories")
	f.BoolVar(&s.codes, "codes", s.codes, "categorical columns: write categories as 0, 1, … instead of v0, v1, …")
	f.Float64Var(&c.Concentration, "concentration", c.Concentration, "discrete: Dirichlet concentration of the probabilities; smaller values give stronger effects")
	f.IntVar(&c.Interventions, "interventions", c.Interventions, "number of intervention sets; adds the column target")
	f.StringVar(&s.kind, "intervention", s.kind, "intervention type: hard (removes edges into the targets) or soft (changes their mechanism)")
	f.IntVar(&c.InterventionSize, "intervention-size", c.InterventionSize, "number of targets per intervention set")
	f.Float64Var(&c.InterventionMean, "intervention-mean", c.InterventionMean, "mean of a numeric target under a hard intervention, or of a changed column without parents; categorical targets become uniform")
	f.Float64Var(&c.Observational, "observational", c.Observational, "share of observational rows, 0–1")
	f.IntVar(&c.Environments, "environments", c.Environments, "number of environments; adds the column environment")
	f.IntVar(&c.EnvironmentChanges, "environment-changes", c.EnvironmentChanges, "number of columns with a changed mechanism in each environment but the first")
	p := &s.series
	f.IntVar(&p.Lags, "lags", 0, "time series: largest lag of an edge; --rows is then the length of each series; 0 for independent rows")
	f.IntVar(&p.Series, "series", p.Series, "time series: number of series with different means; adds the column series")
	f.Float64Var(&p.Links, "links", p.Links, "time series: mean number of edges into a column from other columns")
	f.Float64Var(&p.Contemporaneous, "contemporaneous", p.Contemporaneous, "time series: share of these edges without a lag, 0–1")
	f.Float64Var(&p.AutoLow, "auto-low", p.AutoLow, "time series: smallest effect of the last value of a column")
	f.Float64Var(&p.AutoHigh, "auto-high", p.AutoHigh, "time series: largest effect of the last value of a column, below 1")
	f.BoolVar(&c.CausalOrder, "causal-order", c.CausalOrder, "order the columns causally, as the released code of the paper does")
	f.BoolVar(&c.Standardize, "standardize", c.Standardize, "standardize all numeric columns")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "random seed")
	f.StringVar(&s.images, "images", "", "draw one image per row in this folder, with one shape per column; adds the column image")
	f.StringVar(&s.scene, "scene", shapes, "--images: what an image shows: shapes (one per column), pendulum, or half-pendulum (monotone effects)")
	f.IntVar(&s.side, "image-side", 64, "--images: width and height of an image in pixels")
	f.IntVar(&s.threads, "threads", s.threads, "number of threads; does not change the result")
}

// check parses the text flags and reports every error.
func (s *simulation) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	word := func(flag, value string, names []string, set func([]byte) error) {
		if set([]byte(value)) != nil {
			fault("%s%s: want one of %s", command.Valued(flag), value, strings.Join(names, ", "))
		}
	}
	c := &s.cfg
	word("model", s.model, sim.MechanismNames(), c.Mechanism.UnmarshalText)
	word("graph", s.graph, sim.GraphNames(), c.Graph.UnmarshalText)
	word("design", s.design, sim.DesignNames(), c.Design.UnmarshalText)
	word("noise", s.noise, sim.NoiseNames(), c.Noise.UnmarshalText)
	word("intervention", s.kind, sim.InterventionNames(), c.Intervention.UnmarshalText)
	pair := func(flag, value string) (low, high float64) {
		if value == "" {
			return 0, 0
		}
		a, b, found := strings.Cut(value, ",")
		low, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		high, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if !found || err != nil || err2 != nil || low == 0 && high == 0 {
			fault("%s%s: want two numbers LOW,HIGH with 0 < LOW <= HIGH", command.Valued(flag), value)
			return 0, 0
		}
		return low, high
	}
	c.Variance.Low, c.Variance.High = pair("noise-variance", s.noiseVariance)
	c.RootVariance.Low, c.RootVariance.High = pair("root-variance", s.rootVariance)
	if low, high := pair("levels", s.levels); low != 0 || high != 0 {
		if c.LevelsLow, c.LevelsHigh = int(low), int(high); float64(c.LevelsLow) != low || float64(c.LevelsHigh) != high {
			fault("--set levels=%s: want whole numbers", s.levels)
		}
	}
	if err := c.Validate(); err != nil && s.series.Lags == 0 { // a time series has settings of its own
		faults = append(faults, err)
	}
	if s.from == "" {
		for _, flag := range []string{"data", "do"} {
			if s.given(flag) {
				fault("%s has no effect: it needs --from", command.Spelled(flag))
			}
		}
	} else {
		for _, flag := range fromless {
			if s.given(flag) {
				fault("%s has no effect: it is for random models, and --from gives one", command.Spelled(flag))
			}
		}
	}
	for _, f := range append(s.checkScene(), s.idle()...) {
		fault("%s", f)
	}
	if s.rows < 1 {
		fault("--rows %d: want at least 1", s.rows)
	}
	if s.threads < 1 {
		fault("--threads %d: want at least 1", s.threads)
	}
	if s.output == "" {
		fault("no output file; add --output DATA.csv, or --output - for standard output")
	}
	if s.output == "-" && s.truth == "-" {
		fault("--output and --truth cannot both be standard output")
	}
	if err := command.Distinct(s.output, s.truth); err != nil {
		faults = append(faults, err)
	}
	var err error
	if s.format, err = command.TableFormat("--output", s.output); err != nil {
		faults = append(faults, err)
	} else if c.Interventions > 0 && !s.format.Text() {
		fault("--output %s: %s holds numbers only, and the column target names columns; end the name in .csv or .parquet", s.output, s.format.Format)
	}
	if s.images != "" && s.output != "" && err == nil && !s.format.Text() {
		fault("--output %s: %s holds numbers only, and the column image names files; end the name in .csv or .parquet", s.output, s.format.Format)
	}
	if err := command.EdgeListName("--truth", s.truth); err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return command.Usage(errors.Join(faults...))
	}
	return nil
}

// fromless are the flags of random models.
var fromless = strings.Fields("model graph design nodes degree edges noise noise-low noise-high noise-variance root-variance weight-low weight-high weight-scale levels codes concentration images scene image-side interventions intervention intervention-size intervention-mean observational environments environment-changes causal-order standardize threads")

// idle returns the given flags that have no effect.
func (s *simulation) idle() (faults []string) {
	c := &s.cfg
	discrete := c.Mechanism == sim.Discrete || c.Mechanism == sim.Logit || c.Mechanism == sim.Ordinal
	for _, group := range []struct {
		used  bool
		needs string
		flags []string
	}{
		{c.Mechanism == sim.Linear, "--model linear", []string{"weight-low", "weight-high", "weight-scale"}},
		{discrete || c.Mechanism == sim.Mixed, "--model discrete, mixed, logit or ordinal", []string{"levels", "codes"}},
		{c.Mechanism == sim.Discrete, "--model discrete", []string{"concentration"}},
		{!discrete, "numbers, and the model has none", []string{"noise", "noise-low", "noise-high", "noise-variance", "root-variance", "standardize", "intervention-mean"}},
		{c.Interventions > 0, "--set interventions", []string{"intervention", "intervention-size", "observational"}},
		{c.Interventions > 0 || c.Environments > 0, "--set interventions or --environments", []string{"intervention-mean"}},
		{c.Environments > 0, "--environments", []string{"environment-changes"}},
		{discrete && s.series.Lags == 0 || s.scene != shapes, "--model discrete, logit or ordinal without --lags, or --set scene=pendulum", []string{"images"}},
		{s.series.Lags > 0, "--lags", []string{"series", "links", "contemporaneous", "auto-low", "auto-high"}},
		{c.Edges == 0, "--edges 0, which leaves the number of edges to it", []string{"degree"}},
		{!c.Variance.Given(), "no --set noise-variance, which takes its place", []string{"noise-low", "noise-high"}},
	} {
		for _, flag := range group.flags {
			if !group.used && s.given(flag) {
				faults = append(faults, fmt.Sprintf("%s has no effect: it needs %s", command.Spelled(flag), group.needs))
			}
		}
	}
	return faults
}

// writeSample streams the rows, so that memory does not grow with their number.
func (a *app) writeSample(ctx context.Context, s *simulation, m *sim.Model) error {
	d := m.Dim()
	table := files.Content{Names: m.Names(), Count: s.rows}
	if label, words := m.Label(); label != "" {
		table.Names = append(table.Names, label)
		table.Words = make([][]string, d+1)
		if label == "target" {
			table.Words[d] = words
		}
	}
	coded := 0
	for j, levels := range m.Levels() {
		if levels == 0 || s.codes {
			continue
		}
		if !s.format.Text() {
			coded++
			continue
		}
		if table.Words == nil {
			table.Words = make([][]string, len(table.Names))
		}
		for l := range levels {
			table.Words[j] = append(table.Words[j], fmt.Sprintf("v%d", l))
		}
	}
	if coded > 0 {
		a.Note(fmt.Sprintf("%s files contain numbers only; categories are written as 0, 1, … in %s", s.format.Format, names.Count(coded, "column")))
	}
	draw, err := s.scenes(&table, s.shapes)
	if err != nil {
		return err
	}
	var failed error
	table.Rows = command.Pushed(&failed, func(emit func([]float64) error) error {
		out := make([]float64, len(table.Names))
		return m.SampleRows(ctx, sim.Stream(m.Config().Seed, sim.StreamNoise), s.rows, s.threads, func(setting int, row []float64) error {
			for j, v := range row {
				if v-v != 0 {
					return fmt.Errorf("column %d of the sample is %v: the weights make it overflow; lower --set weight-high or --set weight-scale", j+1, v)
				}
			}
			copy(out, row)
			if label, _ := m.Label(); label != "" {
				out[d] = float64(setting)
			}
			if err := draw(out[:d], out); err != nil {
				return err
			}
			return emit(out)
		})
	})
	err = a.WriteTable(ctx, s.output, s.format, table)
	if failed != nil {
		return failed
	}
	return err
}

// fitsModel refuses a model that takes more memory than the account has.
func fitsModel(ctx context.Context, need int64) error {
	return memory.Need(ctx, "the model", need, "use fewer nodes, edges, lags or settings, or allow more with %s", fault.Use("max-memory"))
}

// settingsOf summarizes the settings of a model.
func settingsOf(m *sim.Model) string {
	targets := m.Targets()
	switch label, _ := m.Label(); label {
	case "target":
		return ", " + names.Count(len(targets)-1, "set") + " of intervention targets"
	case "environment":
		names, changed := m.Names(), []string{}
		for s, set := range targets[1:] {
			var words []string
			for _, v := range set {
				words = append(words, names[v])
			}
			if s < 10 && len(words) > 0 {
				changed = append(changed, fmt.Sprintf("environment %d changes %s", s+1, strings.Join(words, ", ")))
			}
		}
		return strings.Join(slices.Insert(changed, 0, fmt.Sprintf(", %d environments", len(targets))), "; ")
	}
	return ""
}

// trueEdges returns the named edges of the model. The weights are those of the raw columns, even if the sample
// was standardized.
func trueEdges(m *sim.Model) []command.Edge {
	names := m.Names()
	var out []command.Edge
	for _, e := range m.Edges() {
		edge := command.Edge{Link: e.Named(names)}
		if m.Config().Mechanism == sim.Linear {
			edge.Weight, edge.HasWeight = e.Weight, true
		}
		out = append(out, edge)
	}
	return out
}

// Package causalvae is CausalVAE: a variational autoencoder of images whose latent variables are the variables of a causal
// graph.
//
//	fitted, err := causalvae.New().Fit(ctx, images, seed, threads, nil)
//	table, err := polydag.FromRows(fitted.Names, fitted.Rows())
//	cfg.Method = fitted
//	res, err := table.Learn(ctx, cfg, polydag.Run{})
//
// It learns from images instead of a table, so it is not in the list of methods; the program polydag-images runs it. Fit trains
// the autoencoder. The fitted value is a method for the table of its latent variables, and answers with their graph.
//
// Experimental: the API of this package may change before 1.0.
package causalvae

import (
	"context"
	"errors"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "causal-vae"

// Constraint is an acyclicity constraint.
type Constraint = constraint.Name

const (
	Geometric   = constraint.Geometric
	PowerSum    = constraint.PowerSum
	Exponential = constraint.Exponential
)

// Settings are the settings of a training. It differs from the paper in these points: a factor is one number and not four; one
// decoder reads all factors; the effects between labels are linear; the constraint is h_geo; pixels have normal noise; and the
// encoder does not read the labels, so that it also encodes images without labels.
type Settings struct {
	Constraint  Constraint
	Hidden      int     // units of each hidden layer of encoder and decoder
	Mask        int     // hidden units of the mask layer per factor
	Passes      int     // passes over the images
	Every       int     // passes between changes of the multipliers
	Batch       int     // images per step
	Rate        float64 // learning rate of Adam
	HTol        float64 // multipliers stay as they are while h is at most this
	PixelNoise  float64
	LabelWeight float64
	MaskWeight  float64
	Threshold   float64
}

// New returns the default settings.
func New() *Settings {
	return &Settings{Constraint: Geometric, Hidden: 300, Mask: 16, Passes: 100, Every: 10, Batch: 64, Rate: 1e-3, HTol: 1e-4, PixelNoise: 1, LabelWeight: 1, MaskWeight: 1, Threshold: 0.3}
}

func (s *Settings) Params(set *param.Set) {
	param.Word(set, &s.Constraint, "constraint", "acyclicity constraint: geo or poly (the paper polyDAG), or exp", Geometric, PowerSum, Exponential)
	set.Int(&s.Hidden, "hidden", "units in each of the two hidden layers of the encoder and of the decoder", param.AtLeast(1), param.AtMost(10000))
	set.Int(&s.Mask, "mask-hidden", "hidden units of the mask layer per factor", param.AtLeast(1), param.AtMost(1000))
	set.Int(&s.Passes, "passes", "epochs", param.AtLeast(1), param.AtMost(1<<20))
	set.Int(&s.Every, "multiplier-passes", "epochs between multiplier updates", param.AtLeast(1))
	set.Int(&s.Batch, "batch", "images per step", param.AtLeast(1), param.AtMost(1<<16))
	set.Float(&s.Rate, "rate", "learning rate of Adam", param.Above(0))
	set.Float(&s.HTol, "htol", "leave the multipliers as they are while h is at most this", param.Above(0))
	set.Float(&s.PixelNoise, "pixel-noise", "standard deviation of a pixel, whose values are 0–1", param.Above(0))
	set.Float(&s.LabelWeight, "label-weight", "weight of the linear effects between labels", param.AtLeast(0))
	set.Float(&s.MaskWeight, "mask-weight", "weight of the mask layer", param.AtLeast(0))
	set.Float(&s.Threshold, "threshold", "drop edges with an absolute weight at or below this; factors have a standard deviation of about 1", param.AtLeast(0))
}

// A Fitted is a trained autoencoder. It is a method for the table of its latent variables.
type Fitted struct {
	Settings
	Names   []string
	Latents *matrix.Dense[float64] // factors of each image, in the units of the labels
	A       *matrix.Dense[float64] // weights; entry (i, j) is i → j, between standardized factors

	found network.Found
}

// Rows returns the latent variables of each image.
func (f *Fitted) Rows() [][]float64 {
	rows := make([][]float64, f.Latents.Rows)
	for i := range rows {
		rows[i] = f.Latents.Row(i)
	}
	return rows
}

func (f *Fitted) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "CausalVAE: variational autoencoder of images with a causal layer",
		About:     "With labels for every image, polydag learn on the labels is faster and more accurate (lab/docs/evidence.md).",
		Reference: "Yang, Liu, Chen, Shen, Hao and Wang (2021), CausalVAE: Disentangled representation learning via neural structural causal models",
		Needs:     method.Moments, Gives: graph.KindDAG, UnitFree: true, Continuous: true,
	}
}

// Cost is that of the answer; the training is over.
func (f *Fitted) Cost(_, columns, _ int) method.Cost {
	return method.Cost{Bytes: method.Matrices(8, columns, 64)}
}

// Learn returns the graph of A. The table may lack factors that do not vary.
func (f *Fitted) Learn(_ context.Context, in *method.Input, _ *stage.Run) (*method.Answer, error) {
	own := map[string]int{}
	for i, n := range f.Names {
		own[n] = i
	}
	columns := in.Names()
	found := f.found
	found.W = matrix.New[float64](len(columns), len(columns))
	for i, from := range columns {
		for j, to := range columns {
			a, ok := own[from]
			b, ok2 := own[to]
			if !ok || !ok2 {
				return nil, errors.New("the table is not that of the latent variables; pass Fitted.Rows")
			}
			found.W.Set(i, j, max(f.A.At(a, b), -f.A.At(a, b)))
		}
	}
	return found.Answer(in, name, f.Threshold, f.Constraint.New()), nil
}

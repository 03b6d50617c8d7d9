package causalvae

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Images are the data of a training.
type Images struct {
	// Names are the names of the factors.
	Names []string
	// Pixels has the values of one image per row, 0–1.
	Pixels *matrix.Dense[float64]
	// Labels has the value of each factor in the rows of Pixels. A row with a missing value (NaN) has no labels. nil means that
	// no image has labels.
	Labels *matrix.Dense[float64]
	// Held marks images that are encoded and not trained on. nil means none.
	Held []bool
}

// Labelled returns the number of images with labels that are trained on.
func (d *Images) Labelled() int {
	count := 0
	for i := range d.Pixels.Rows {
		if d.labelled(i) {
			count++
		}
	}
	return count
}

// trained reports whether an image is trained on.
func (d *Images) trained(i int) bool { return d.Held == nil || !d.Held[i] }

// labelled reports whether an image is trained on and has labels.
func (d *Images) labelled(i int) bool {
	if d.Labels == nil || !d.trained(i) {
		return false
	}
	for _, v := range d.Labels.Row(i) {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// moments returns means and standard deviations of the labels, or 0 and 1 without labels.
func (d *Images) moments() (mean, sd []float64, err error) {
	mean, sd = make([]float64, len(d.Names)), make([]float64, len(d.Names))
	count := float64(d.Labelled())
	for j, name := range d.Names {
		if count == 0 {
			sd[j] = 1
			continue
		}
		for i := range d.Pixels.Rows {
			if d.labelled(i) {
				mean[j] += d.Labels.At(i, j) / count
			}
		}
		for i := range d.Pixels.Rows {
			if d.labelled(i) {
				sd[j] += (d.Labels.At(i, j) - mean[j]) * (d.Labels.At(i, j) - mean[j]) / count
			}
		}
		if sd[j] = math.Sqrt(sd[j]); !(sd[j] > 0) {
			return nil, nil, fmt.Errorf("label %s does not vary in the %d labelled images; drop it", name, int(count))
		}
	}
	return mean, sd, nil
}

// rows returns pixels and standardized labels side by side.
func (d *Images) rows(mean, sd []float64) *matrix.Dense[float64] {
	p, n := d.Pixels.Cols, len(d.Names)
	out := matrix.New[float64](d.Pixels.Rows, p+n)
	for i := range out.Rows {
		row := out.Row(i)
		copy(row, d.Pixels.Row(i))
		if d.labelled(i) {
			for j := range n {
				row[p+j] = (d.Labels.At(i, j) - mean[j]) / sd[j]
			}
		}
	}
	return out
}

// state is the saved result of a training. Its fields are exported for gob.
type state struct {
	Theta []float64
	Found network.Found
}

// Fit trains the autoencoder. It does not change the images. When ctx ends early, it returns what was learned so far, and
// Fitted.Learn then has the status Canceled. run reports progress and saves checkpoints; it may be nil. Threads do not
// change the result.
func (s *Settings) Fit(ctx context.Context, d *Images, seed uint64, threads int, run *stage.Run) (*Fitted, error) {
	rows := 0
	for i := range d.Pixels.Rows {
		if d.trained(i) {
			rows++
		}
	}
	if len(d.Names) < 2 || rows < 2 {
		return nil, fmt.Errorf("%d factors and %d images to train on; CausalVAE needs at least 2 of each", len(d.Names), rows)
	}
	if err := param.Of(s).Finish(); err != nil {
		return nil, err
	}
	mean, sd, err := d.moments()
	if err != nil {
		return nil, err
	}
	m := model{
		factors: len(d.Names), pixels: d.Pixels.Cols, hidden: s.Hidden, mask: s.Mask,
		noise: s.PixelNoise, labels: s.LabelWeight, masks: s.MaskWeight, threads: threads,
	}
	batch := min(s.Batch, rows)
	var failed error
	got, err := stage.Do(ctx, run, name, func(at stage.Point) (*state, bool, error) {
		loss, noise := m.loss(batch)
		policy := &schedule{network.Lagrangian{Passes: s.Every, HTol: s.HTol}, s.Rate}
		t := &network.Training{
			Name: name, Rows: network.KeptRows(d.rows(mean, sd)).Part(d.trained), Batch: batch, Steps: s.Passes * (rows / batch),
			Loss: loss, H: m.acyclic(s.Constraint.New()), Policy: policy, Seed: seed, Pause: at.Pause, Tell: run.Tell,
			Theta: m.start(seed), Zero: make([]bool, m.parameters()), Optimizer: network.Adam(), Rate: s.Rate, Rho: 1, Memory: policy.Memory(),
			Prepare: func(step int) {
				rng := rand.New(rand.NewPCG(seed, 0x7661656e<<32+uint64(step)))
				for i := range noise.Value.Data {
					noise.Value.Data[i] = rng.NormFloat64()
				}
			},
		}
		for i := range m.factors {
			t.Zero[i*m.factors+i] = true
		}
		status, err := t.Run(ctx, at.Resume)
		if status == solve.StepLimit { // the number of steps is the schedule
			status = solve.Completed
		}
		failed = err
		return &state{t.Theta, *t.Found(ctx, nil, status)}, err == nil && status != solve.Canceled, nil
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	z, err := m.latents(got.Theta, d.Pixels)
	if err != nil {
		return nil, err
	}
	for i := range z.Rows {
		for j, v := range z.Row(i) {
			z.Set(i, j, mean[j]+sd[j]*v)
		}
	}
	return &Fitted{Settings: *s, Names: d.Names, Latents: z, A: m.edges(got.Theta), found: got.Found}, nil
}

// A schedule lets the learning rate fall to zero, and leaves the multipliers of the constraint as they are while h is small. The
// training ends with its steps.
type schedule struct {
	network.Lagrangian
	rate float64
}

// AfterStep sets the learning rate.
func (s *schedule) AfterStep(_ context.Context, t *network.Training) (bool, error) {
	t.Rate = s.rate * (1 - float64(t.Step)/float64(t.Steps))
	return false, nil
}

// AfterPass changes the multipliers and does not end the training.
func (s *schedule) AfterPass(ctx context.Context, t *network.Training) (bool, error) {
	_, err := s.Lagrangian.AfterPass(ctx, t)
	return false, err
}

// Key identifies a training for its checkpoint.
func (s *Settings) Key(d *Images, seed uint64) (stage.Key, error) {
	settings := append(param.Of(s).Record(), param.Entry{Key: "method", Value: name}, param.Entry{Key: "seed", Value: seed})
	text, err := json.Marshal(settings)
	if err != nil {
		return stage.Key{}, err
	}
	about, err := json.Marshal(map[string]any{"images": d.Pixels.Rows, "pixels": d.Pixels.Cols, "factors": d.Names})
	if err != nil {
		return stage.Key{}, err
	}
	hash := sha256.New()
	hash.Write(about)
	var b []byte
	for _, held := range d.Held {
		b = strconv.AppendBool(b, held)
	}
	hash.Write(b)
	for _, x := range []*matrix.Dense[float64]{d.Pixels, d.Labels} {
		for i := 0; x != nil && i < x.Rows; i++ {
			b = b[:0]
			for _, v := range x.Row(i) {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
			hash.Write(b)
		}
	}
	return stage.Key{Data: [sha256.Size]byte(hash.Sum(nil)), Settings: text, Table: about}, nil
}

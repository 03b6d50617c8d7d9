package commands

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/images/scene"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/sim"
)

// These are the values of --set scene.
const (
	shapes       = "shapes"
	pendulum     = "pendulum"
	halfPendulum = "half-pendulum"
)

// pendulumless are the flags of tables whose columns are drawn from a model.
var pendulumless = slices.Concat(slices.DeleteFunc(slices.Clone(fromless), func(flag string) bool {
	return slices.Contains(strings.Fields("images scene image-side threads"), flag)
}),
	strings.Fields("from lags series links contemporaneous auto-low auto-high"))

// checkScene returns what is wrong with --set scene and --set image-side.
func (s *simulation) checkScene() (faults []string) {
	if !slices.Contains([]string{shapes, pendulum, halfPendulum}, s.scene) {
		faults = append(faults, fmt.Sprintf("--set scene=%s: want one of %s, %s, %s", s.scene, shapes, pendulum, halfPendulum))
	}
	if s.side < 8 || s.side > 1024 {
		faults = append(faults, fmt.Sprintf("--set image-side=%d: want 8–1024 pixels", s.side))
	}
	for _, flag := range []string{"scene", "image-side"} {
		if s.images == "" && s.given(flag) {
			faults = append(faults, fmt.Sprintf("%s has no effect: it needs --images DIR", command.Spelled(flag)))
		}
	}
	for _, flag := range pendulumless {
		if s.scene != shapes && s.given(flag) {
			faults = append(faults, fmt.Sprintf("%s has no effect: --set scene=%s has a model of its own", command.Spelled(flag), s.scene))
		}
	}
	return faults
}

// scenes adds the column image to a table. The function that it returns writes the image of the next row and puts its number into the
// last column of the whole row. Without --images it does nothing.
func (s *simulation) scenes(table *files.Content, draw func(row []float64, rng *rand.Rand) *image.RGBA) (func(row, whole []float64) error, error) {
	if s.images == "" {
		return func(_, _ []float64) error { return nil }, nil
	}
	if err := os.MkdirAll(s.images, 0o755); err != nil {
		return nil, err
	}
	names := make([]string, s.rows)
	for i := range names {
		names[i] = fmt.Sprintf("scene%06d.png", i+1)
	}
	if table.Words == nil {
		table.Words = make([][]string, len(table.Names))
	}
	table.Names, table.Words = append(table.Names, "image"), append(table.Words, names)
	rng := sim.Stream(s.cfg.Seed, sim.StreamScenes)
	next := 0
	return func(row, whole []float64) error {
		var b bytes.Buffer
		if err := png.Encode(&b, draw(row, rng)); err != nil {
			return err
		}
		whole[len(whole)-1] = float64(next)
		next++
		return os.WriteFile(filepath.Join(s.images, names[next-1]), b.Bytes(), 0o644)
	}, nil
}

// shapes draws one shape per categorical column.
func (s *simulation) shapes(categories []float64, rng *rand.Rand) *image.RGBA {
	codes := make([]int, len(categories))
	for j, v := range categories {
		codes[j] = int(v)
	}
	return scene.Draw(codes, s.side, rng)
}

// simulatePendulum writes images of a pendulum, the table of their factors, and the true edges.
func (a *app) simulatePendulum(ctx context.Context, s *simulation) error {
	swing := scene.FullSwing()
	if s.scene == halfPendulum {
		swing = scene.HalfSwing()
	}
	factors := scene.PendulumFactors
	table := files.Content{Names: slices.Clone(factors), Count: s.rows}
	write, err := s.scenes(&table, func(row []float64, rng *rand.Rand) *image.RGBA { return scene.DrawPendulum(row, s.side, rng) })
	if err != nil {
		return err
	}
	var failed error
	table.Rows = func(yield func([]float64) bool) {
		rng := sim.Stream(s.cfg.Seed, sim.StreamNoise)
		whole := make([]float64, len(table.Names))
		for range s.rows {
			row := scene.Pendulum(swing, rng)
			copy(whole, row)
			if failed = ctx.Err(); failed == nil {
				failed = write(row, whole)
			}
			if failed != nil || !yield(whole) {
				return
			}
		}
	}
	err = a.WriteTable(ctx, s.output, s.format, table)
	if failed != nil {
		return failed
	}
	if err == nil {
		var edges []command.Edge
		for _, e := range scene.PendulumEdges {
			edges = append(edges, command.Edge{Link: graph.Link{From: factors[e[0]], To: factors[e[1]]}})
		}
		err = a.WriteEdges(ctx, s.truth, edges)
	}
	if err == nil {
		a.Line(fmt.Sprintf("%s of a pendulum with the factors %s", names.Count(s.rows, "image"), strings.Join(factors, ", ")))
	}
	return err
}

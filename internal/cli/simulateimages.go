package cli

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/scene"
	"github.com/polydag/polydag/sim"
)

// sceneSide is the side of a drawn image in pixels.
const sceneSide = 64

// scenes adds the column image to a table. The function that it returns draws the next row and puts the number of its image into the
// last column of the whole row. Without --images it does nothing.
func (s *simulation) scenes(table *files.Content) (func(categories, whole []float64) error, error) {
	if s.images == "" {
		return func(_, _ []float64) error { return nil }, nil
	}
	if err := os.MkdirAll(s.images, 0o755); err != nil {
		return nil, err
	}
	names := make([]string, s.samples)
	for i := range names {
		names[i] = fmt.Sprintf("scene%06d.png", i+1)
	}
	if table.Words == nil {
		table.Words = make([][]string, len(table.Names))
	}
	table.Names, table.Words = append(table.Names, "image"), append(table.Words, names)
	rng := sim.Stream(s.cfg.Seed, sim.StreamScenes)
	next := 0
	return func(categories, whole []float64) error {
		codes := make([]int, len(categories))
		for j, v := range categories {
			codes[j] = int(v)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, scene.Draw(codes, sceneSide, rng)); err != nil {
			return err
		}
		whole[len(whole)-1] = float64(next)
		next++
		return os.WriteFile(filepath.Join(s.images, names[next-1]), b.Bytes(), 0o644)
	}, nil
}

package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/parallel"
)

// Predictions have one row per image, sorted by the name of the image.
type Predictions struct {
	Images  []string
	Labels  []string
	Rows    [][]float32 // probabilities
	Vectors [][]float32 // with Settings.Vectors
	Groups  []int       // near duplicates have the same number; nil if there are none
	Skipped []Skipped
	Resumed int // rows of an interrupted run
}

// Skipped is an image that could not be read.
type Skipped struct {
	Image  string
	Reason error
}

// ErrNone is returned for a folder without readable images.
var ErrNone = errors.New("no image (.jpg, .jpeg, .png, .webp or .gif)")

// record is what is known about one image.
type record struct {
	row, vector []float32
	thumb       []byte
	err         error
}

// Run classifies the images of a folder. It appends the results to saved, if not nil, and does not repeat those that
// saved has already. If ctx ends it returns the cause.
func (m *Model) Run(ctx context.Context, folder *pictures.Folder, saved *Saved) (*Predictions, error) {
	images := folder.Images()
	if len(images) == 0 {
		return nil, ErrNone
	}
	records := make([]record, len(images))
	var todo []int
	for i, name := range images {
		if known, ok := saved.find(folder, name, len(m.Labels)); ok {
			records[i] = known
		} else {
			todo = append(todo, i)
		}
	}
	if err := m.work(ctx, folder, images, todo, records, saved); err != nil {
		return nil, err
	}
	var thumbs [][]byte
	t := &Predictions{Labels: m.Labels, Resumed: len(images) - len(todo)}
	for i, r := range records {
		if r.err != nil {
			t.Skipped = append(t.Skipped, Skipped{images[i], r.err})
			continue
		}
		t.Images, t.Rows, t.Vectors = append(t.Images, images[i]), append(t.Rows, r.row), append(t.Vectors, r.vector)
		thumbs = append(thumbs, r.thumb)
	}
	if len(t.Images) == 0 {
		return t, fmt.Errorf("%w that can be read; the first, %s: %v", ErrNone, t.Skipped[0].Image, t.Skipped[0].Reason)
	}
	t.Groups = groups(thumbs, m.Settings.Near, m.Settings.Threads)
	if !m.Settings.Vectors {
		t.Vectors = nil
	}
	return t, nil
}

// work classifies the images todo on several threads.
func (m *Model) work(ctx context.Context, folder *pictures.Folder, images []string, todo []int, records []record, saved *Saved) error {
	var mu sync.Mutex
	var fault error
	done := len(images) - len(todo)
	parallel.Each(ctx, len(todo), m.Settings.Threads, func(int) func(int) {
		run := m.runner()
		return func(k int) {
			i := todo[k]
			records[i] = run(folder, images[i])
			mu.Lock()
			defer mu.Unlock()
			if err := saved.add(folder, images[i], records[i]); err != nil && fault == nil {
				fault = err
			}
			if done++; m.Settings.Progress != nil {
				m.Settings.Progress(done, len(images))
			}
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fault
}

// runner returns a function that classifies one image; one goroutine may use it.
func (m *Model) runner() func(folder *pictures.Folder, image string) record {
	session := m.program.Session()
	values := make([]float32, 3*m.Settings.Height*m.Settings.Width)
	return func(folder *pictures.Folder, image string) record {
		var r record
		r.err = folder.Decode(image, func(p pictures.Photo) error {
			m.Settings.input(values, p)
			r.thumb = thumbnail(p)
			return nil
		})
		if r.err != nil {
			return r
		}
		out, err := session.Run(m.Settings.tensor(values))
		if err != nil {
			return record{err: err}
		}
		r.row = slices.Clone(out[0].F)
		m.Settings.activate(r.row)
		for _, v := range r.row {
			if v-v != 0 {
				return record{err: errors.New("the model gives a number that is not finite")}
			}
		}
		if m.Settings.Vectors {
			r.vector = slices.Clone(out[1].F)
		}
		return r
	}
}

// activate turns the output of a model into probabilities, in place.
func (s *Settings) activate(row []float32) {
	switch s.Activation {
	case Sigmoid:
		for i, v := range row {
			row[i] = float32(1 / (1 + math.Exp(-float64(v))))
		}
	case Softmax:
		top, sum := float64(slices.Max(row)), 0.0
		for _, v := range row {
			sum += math.Exp(float64(v) - top)
		}
		for i, v := range row {
			row[i] = float32(math.Exp(float64(v)-top) / sum)
		}
	}
}

// Cause returns the reason without its line breaks.
func (s Skipped) Cause() string { return strings.ReplaceAll(s.Reason.Error(), "\n", " ") }

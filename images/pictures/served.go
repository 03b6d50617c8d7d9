package pictures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
)

// ErrNoImage is matched by the error for a name that is not that of a file in the folder.
var ErrNoImage = errors.New("no such image")

// Thumbnail writes an image of the folder as a JPEG thumbnail of at most size pixels. It never writes the bytes of a file, so that
// files that are not images cannot be read.
func (f *Folder) Thumbnail(w io.Writer, name string, size int) error {
	p, err := local(name)
	if err == nil && p != name {
		err = errName
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	set := DefaultSettings()
	set.Size = size
	m := &maker{folder: f, set: set}
	text, err := m.thumbnail(p)
	if errors.Is(err, errMissing) || errors.Is(err, errOutside) {
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Embed returns a copy of a linked set with thumbnails, as many as the budget allows.
func (s *Set) Embed(ctx context.Context, folder *Folder, set Settings) (*Set, error) {
	set.Link = false
	if err := set.Validate(); err != nil {
		return nil, err
	}
	m := &maker{folder: folder, set: set}
	out := *s
	out.Linked, out.Pictures, out.Budget, out.Bytes = false, []Picture{}, set.Budget, 0
	place := make([]int, len(s.Pictures)) // index of each picture in the new set, or failed
	const ahead = 32
	for start := 0; start < len(s.Pictures); start += ahead {
		part := s.Pictures[start:min(start+ahead, len(s.Pictures))]
		made := make([]attempt, len(part))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !out.Full {
			parallel.For(len(part), set.Threads, func(k int) { made[k].source, made[k].err = m.picture(part[k].path) })
		}
		for k, a := range made {
			place[start+k] = failed
			if out.Full = out.Full || out.Bytes+int64(len(a.source)) > set.Budget; out.Full || a.err != nil {
				continue
			}
			place[start+k] = len(out.Pictures)
			out.Pictures = append(out.Pictures, Picture{Name: part[k].Name, Source: a.source})
			out.Bytes += int64(len(a.source))
		}
	}
	return out.renumbered(place), nil
}

// renumbered replaces the indices of pictures and leaves out those without a place.
func (s *Set) renumbered(place []int) *Set {
	cells := func(list []Cell) []Cell {
		list = slices.Clone(list)
		for k := range list {
			kept := []int{}
			for _, p := range list[k].Pictures {
				if place[p] != failed {
					kept = append(kept, place[p])
				}
			}
			list[k].Pictures = kept
		}
		return list
	}
	s.Variables, s.Edges, s.Matches = slices.Clone(s.Variables), slices.Clone(s.Edges), slices.Clone(s.Matches)
	for k := range s.Variables {
		s.Variables[k].Groups = cells(s.Variables[k].Groups)
	}
	for k := range s.Edges {
		s.Edges[k].Cells = slices.Clone(s.Edges[k].Cells)
		for r, row := range s.Edges[k].Cells {
			s.Edges[k].Cells[r] = cells(row)
		}
	}
	for k, m := range s.Matches {
		own := *m
		own.Pairs = []Pair{}
		for _, p := range m.Pairs {
			if a, b := place[p.Pictures[0]], place[p.Pictures[1]]; a != failed && b != failed {
				p.Pictures = [2]int{a, b}
				own.Pairs = append(own.Pairs, p)
			}
		}
		s.Matches[k] = &own
	}
	return s
}

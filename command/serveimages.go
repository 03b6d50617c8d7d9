//go:build !js

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
)

// A gallery has the pictures of the pages of polydag serve. A nil gallery has none.
type gallery struct {
	images Pictures
	task   *Task
	tables []string         // files of the tables of results in the folder
	sets   cache[*Pictured] // nil for a result without pictures
	making sync.Mutex       // one table is read at a time
}

func (a *app) newGallery(f *pflag.FlagSet) *gallery {
	g := &gallery{}
	g.images, g.task = a.newPictures("serve", f)
	return g
}

// open opens the images. It returns nil without any.
func (g *gallery) open() (*gallery, error) {
	if g.images == nil {
		return nil, nil
	}
	on, tables, err := g.images.Open(g.task)
	if err != nil || !on {
		return nil, err
	}
	for _, path := range tables {
		list, err := files.Parts([]string{path})
		for _, file := range list {
			if _, missing := os.Stat(file); err == nil && missing != nil {
				err = usagef("--data: %w", missing)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	g.tables = tables
	return g, nil
}

func (g *gallery) close() {
	if g != nil {
		g.images.Close()
	}
}

func (g *gallery) image(w io.Writer, file string) error {
	if g == nil {
		return fmt.Errorf("%w: this server has no folder of images; start it with --images DIR", ErrNoImage)
	}
	return g.images.Thumbnail(w, file)
}

// learned keeps the pictures of a result that was learned from an uploaded table. A table without images has none.
func (g *gallery) learned(ctx context.Context, res *polydag.Result, data *gathered) {
	if g == nil {
		return
	}
	if set, err := g.make(ctx, res, data); err == nil {
		g.sets.add(res, set)
	}
}

// make makes the pictures of a result from its table.
func (g *gallery) make(ctx context.Context, res *polydag.Result, data *gathered) (*Pictured, error) {
	own := *g.task
	own.gathered(data)
	return g.images.Make(ctx, &own, []*polydag.Result{res})
}

// of returns the pictures of a result, or nil. embed makes them part of the page.
func (g *gallery) of(ctx context.Context, a *app, res *polydag.Result, embed bool) (*Pictured, error) {
	if g == nil {
		return nil, nil
	}
	g.making.Lock()
	defer g.making.Unlock()
	set, ok := g.sets.of(res)
	if !ok {
		for _, path := range g.tables {
			if set = g.read(ctx, a, res, path); set != nil {
				break
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		g.sets.add(res, set)
	}
	if set == nil || !embed {
		return set, nil
	}
	return g.images.Embed(ctx, set)
}

// read returns the pictures of a result from a table, or nil if it was not learned from the table.
func (g *gallery) read(ctx context.Context, a *app, res *polydag.Result, path string) *Pictured {
	in := newTableReading(a, pflag.NewFlagSet("", pflag.ContinueOnError))
	in.screen = silent()
	if in.check(1) != nil {
		return nil
	}
	data, err := in.gatherAgain(ctx, res, []string{path})
	if err != nil {
		return nil
	}
	defer data.input.Close()
	if confidence.SameTable(res, data.Table) != nil {
		return nil
	}
	set, err := g.make(ctx, res, data)
	if err != nil {
		return nil
	}
	return set
}

//go:build !js

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/page"
)

// A gallery has the pictures of the pages of polydag serve. A nil gallery has none.
type gallery struct {
	flags  *pictureFlags
	tables []string // files of the tables of results in the folder
	folder *pictures.Folder
	sets   cache[*pictures.Set] // nil for a result without pictures
	making sync.Mutex           // one table is read at a time
}

func newGallery(f *pflag.FlagSet) *gallery {
	g := &gallery{flags: &pictureFlags{own: f, set: pictures.DefaultSettings()}}
	g.flags.common("folder with images: the pages of results show those that their tables name, as polydag report does; visitors can see every image in it")
	f.StringArrayVar(&g.tables, "data", nil, "--images: table that results of the folder were learned from; repeat for several tables; uploaded tables need no flag")
	return g
}

// open opens the folder. It returns nil without one.
func (g *gallery) open() (*gallery, error) {
	p := g.flags
	if p.dir == "" {
		for _, name := range []string{"image-column", "thumbnails", "data"} {
			if p.own.Changed(name) {
				return nil, usagef("%s has no effect without images; add --images DIR", spelled(name))
			}
		}
		return nil, nil
	}
	if err := p.set.Validate(); err != nil {
		return nil, usageError{fmt.Errorf("--images: %w", err)}
	}
	for _, path := range g.tables {
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
	p.set.Link, p.set.Prefix = true, "/images?file="
	var err error
	g.folder, err = p.open()
	return g, err
}

func (g *gallery) close() {
	if g != nil {
		g.folder.Close()
	}
}

func (g *gallery) image(w io.Writer, file string) error {
	if g == nil {
		return fmt.Errorf("%w: this server has no folder of images; start it with --images DIR", serve.ErrNoImage)
	}
	err := g.folder.Thumbnail(w, file, g.flags.set.Size)
	if errors.Is(err, pictures.ErrNoImage) {
		return fmt.Errorf("%w in the folder: %q", serve.ErrNoImage, file)
	}
	return err
}

// learned keeps the pictures of a result that was learned from an uploaded table. A table without images has none.
func (g *gallery) learned(ctx context.Context, res *polydag.Result, data *gathered) {
	if g == nil {
		return
	}
	if set, err := g.flags.make(ctx, g.folder, []page.Labelled{{Result: res}}, data); err == nil {
		g.sets.add(res, set)
	}
}

// of returns the pictures of a result, or nil. embed makes them part of the page.
func (g *gallery) of(ctx context.Context, a *app, res *polydag.Result, embed bool) (*pictures.Set, error) {
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
	return set.Embed(ctx, g.folder, pictures.Settings{Size: g.flags.set.Size, Budget: g.flags.set.Budget, Threads: 1})
}

// read returns the pictures of a result from a table, or nil if it was not learned from the table.
func (g *gallery) read(ctx context.Context, a *app, res *polydag.Result, path string) *pictures.Set {
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
	set, err := g.flags.make(ctx, g.folder, []page.Labelled{{Result: res}}, data)
	if err != nil {
		return nil
	}
	return set
}

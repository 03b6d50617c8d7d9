package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/page"
)

// pictureFlags are the flags of polydag report for images.
type pictureFlags struct {
	own         *pflag.FlagSet
	dir, column string
	figures     string
	budget      bytesFlag
	set         pictures.Settings
}

func newPictureFlags(f *pflag.FlagSet) *pictureFlags {
	p := &pictureFlags{own: f, set: pictures.DefaultSettings()}
	p.budget = bytesFlag(p.set.Budget)
	p.common("folder with the images of the rows: show examples of variables, edges and effects (needs --data)")
	f.Var(&p.budget, "picture-budget", "size of all embedded thumbnails")
	f.BoolVar(&p.set.Blur, "blur", false, "blur the images and omit their names, for a report that is shared")
	f.StringVar(&p.figures, "figures", "", "also write the graph with typical images and exceptions, and a sheet of image panels, as SVG, PDF and PNG to this folder")
	f.BoolVar(&p.set.Link, "link", false, "refer to the image files by relative links instead of embedding thumbnails")
	return p
}

// common adds the flags that polydag serve has too.
func (p *pictureFlags) common(images string) {
	p.own.StringVar(&p.dir, "images", "", images)
	p.own.StringVar(&p.column, "image-column", "image", "column of the table with the names of the images, or classified_image if the table has it")
	p.own.IntVar(&p.set.Size, "thumbnails", p.set.Size, "longer side of the thumbnails in pixels (16–512)")
}

// check reports flags that do not fit together, before any work.
func (p *pictureFlags) check(tables []string, output string) error {
	if p.dir == "" {
		for _, name := range []string{"image-column", "thumbnails", "picture-budget", "blur", "link", "figures"} {
			if p.own.Changed(name) {
				return usagef("%s has no effect without images; add --images DIR", spelled(name))
			}
		}
		return nil
	}
	p.set.Budget = int64(p.budget)
	if err := p.set.Validate(); err != nil {
		return usageError{fmt.Errorf("--images: %w", err)}
	}
	switch {
	case len(tables) == 0:
		return usagef("--images needs the table that names the images; add --data TABLE")
	case p.set.Link && p.figures != "":
		return usagef("--set figures embeds thumbnails and --set link embeds none; leave one of the two out")
	case p.set.Link && output == "-":
		return usagef("--set link needs the place of the report; use --output REPORT.html")
	}
	return p.locate(output)
}

// locate makes the paths of folder and page absolute, for the links between them.
func (p *pictureFlags) locate(output string) (err error) {
	if !p.set.Link {
		return nil
	}
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return err
	}
	p.set.PageDir, err = filepath.Abs(filepath.Dir(output))
	return err
}

func (p *pictureFlags) open() (*pictures.Folder, error) {
	folder, err := pictures.Open(p.dir)
	if err != nil {
		return nil, usageError{fmt.Errorf("--images: %w; give the folder that the names in column %s are relative to", err, p.column)}
	}
	return folder, nil
}

// showPictures puts the pictures, if there are any, on a page.
func showPictures(in *page.Input, set *pictures.Set) {
	if set != nil {
		in.Pictures, in.Linked = set, set.Linked
	}
}

// make reads the names of the images and makes the pictures of all results.
func (p *pictureFlags) make(ctx context.Context, folder *pictures.Folder, results []page.Labelled, data *gathered) (*pictures.Set, error) {
	take := data.how.Preparation
	columns := pictures.Columns{Image: p.column, Categorical: map[string]bool{}, Scores: data.Source.Scores, First: take.FirstRow, Last: take.LastRow}
	for _, v := range data.Kinds {
		columns.Categorical[v.Name] = v.Kind == dataset.Categorical
	}
	var edges []polydag.Link
	seen := map[string]bool{}
	for _, r := range results {
		for _, name := range r.Result.Names {
			if !seen[name] {
				seen[name] = true
				columns.Names = append(columns.Names, name)
			}
		}
		for _, e := range r.Result.Edges {
			edges = append(edges, polydag.Link{From: e.From, To: e.To})
		}
	}
	effects, omitted, err := causes(results, columns.Names)
	if err != nil {
		return nil, err
	}
	observe, stop := data.screen.bar().shares("pictures")
	defer stop()
	set := p.set
	set.Threads, set.Progress = take.Threads, observe
	type made struct {
		set *pictures.Set
		log *pictures.Log
	}
	out, err := within(ctx, data.name, "searched for images", func() (made, error) {
		src, err := data.input.Source(ctx)
		if err != nil {
			return made{}, err
		}
		defer src.Close()
		classified := func(c dataset.Column) bool { return c.Name == dataset.ClassifiedColumn }
		if !p.own.Changed("image-column") && slices.ContainsFunc(src.Columns(), classified) {
			columns.Image = dataset.ClassifiedColumn
		}
		rows, err := pictures.Read(ctx, src, columns)
		if err != nil {
			return made{}, err
		}
		set, log, err := pictures.Make(ctx, rows, folder, edges, effects, set)
		return made{set, log}, err
	})
	switch {
	case errors.Is(err, pictures.ErrColumn):
		return nil, usageError{fmt.Errorf("%s: --set image-column: %w", data.name, err)}
	case errors.Is(err, pictures.ErrNone):
		return nil, usageError{fmt.Errorf("--images %s: %w; give the folder that the names in column %s are relative to", p.dir, err, p.column)}
	case err != nil:
		return nil, err
	}
	stop()
	out.set.Omitted = omitted
	p.tell(out.set, out.log, data.screen)
	return out.set, nil
}

// mostEffects is the largest number of effects of a result with matched pairs.
const mostEffects = 1000

// causes returns the effects of the results that are DAGs without lags, with their adjustment sets, nearest pairs of cause and
// outcome first. names are the columns in the order of the page, which determines the set if several are minimal. omitted is the
// number of the effects beyond mostEffects.
func causes(results []page.Labelled, names []string) (list []pictures.Effect, omitted int, err error) {
	for k, r := range results {
		if r.Result.Kind != graph.KindDAG || r.Result.Time != nil {
			continue
		}
		model, err := explain.NewModel(names, directedEdges(r.Result))
		if err != nil {
			return nil, 0, err
		}
		effects, all := model.Adjusted(mostEffects)
		omitted += all - len(effects)
		for _, e := range effects {
			list = append(list, pictures.Effect{Result: k, Cause: e.From, Outcome: e.To, Set: e.Set, After: e.After})
		}
	}
	return list, omitted, nil
}

// tell prints what the report shows, and the images that it cannot show.
func (p *pictureFlags) tell(set *pictures.Set, log *pictures.Log, screen *console) {
	what := fmt.Sprintf("%s of %s, %s of %s", plural(len(set.Pictures), "thumbnail"), plural(log.Images, "image"), size(log.Bytes), size(p.set.Budget))
	if set.Linked {
		what = fmt.Sprintf("%s of %s linked; keep the files where they are", plural(len(set.Pictures), "picture"), plural(log.Images, "image"))
	}
	if set.Full {
		what += "; for more, raise --set picture-budget or lower --set thumbnails"
	}
	screen.note("pictures: " + what)
	if set.Missing > 0 {
		screen.warn(fmt.Sprintf("%s not in %s, such as %q", isAre(set.Missing, "image"), p.dir, log.FirstMissing))
	}
	const show = 8
	for _, r := range log.Refused[:min(show, len(log.Refused))] {
		screen.warn(fmt.Sprintf("image %q skipped: %v", r.Name, r.Reason))
	}
	if more := len(log.Refused) - show; more > 0 {
		screen.warn(fmt.Sprintf("%s skipped", isAre(more, "more image")))
	}
	if set.Every > 1 {
		screen.note(fmt.Sprintf("pictures: the shares count one of %d rows", set.Every))
	}
}

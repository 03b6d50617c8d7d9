package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/names"
)

// shown makes the pictures of polydag report and polydag serve.
type shown struct {
	dir, column string
	tables      []string // polydag serve
	figures     string
	budget      int64
	set         pictures.Settings
	folder      *pictures.Folder
}

// newShown adds the flags to a command.
func newShown(t *command.Task) command.Pictures {
	s, f := &shown{set: pictures.DefaultSettings()}, t.Flags
	served := t.Command == "serve"
	what := "folder with the images of the rows: show examples of variables, edges and effects (needs --data)"
	if served {
		what = "folder with images: the pages of results show those that their tables name, as polydag report does; visitors can see every image in it"
	}
	f.StringVar(&s.dir, "images", "", what)
	f.StringVar(&s.column, "image-column", "image", "column of the table with the names of the images, or classified_image if the table has it")
	f.IntVar(&s.set.Size, "thumbnails", s.set.Size, "longer side of the thumbnails in pixels (16–512)")
	if served {
		f.StringArrayVar(&s.tables, "data", nil, "--images: table that results of the folder were learned from; repeat for several tables; uploaded tables need no flag")
		return s
	}
	s.budget = s.set.Budget
	command.Bytes(f, &s.budget, "picture-budget", "size of all embedded thumbnails")
	f.BoolVar(&s.set.Blur, "blur", false, "blur the images and omit their names, for a report that is shared")
	f.StringVar(&s.figures, "figures", "", "also write the graph with typical images and exceptions, and a sheet of image panels, as SVG, PDF and PNG to this folder")
	f.BoolVar(&s.set.Link, "link", false, "refer to the image files by relative links instead of embedding thumbnails")
	return s
}

// valid reports a setting without images, or a bad one.
func (s *shown) valid(t *command.Task, settings ...string) error {
	if s.dir == "" {
		for _, name := range settings {
			if t.Flags.Changed(name) {
				return command.Usagef("%s has no effect without images; add --images DIR", command.Spelled(name))
			}
		}
		return nil
	}
	if err := s.set.Validate(); err != nil {
		return command.Usage(fmt.Errorf("--images: %w", err))
	}
	return nil
}

// Check reports flags of polydag report that do not fit together, before any work.
func (s *shown) Check(t *command.Task, output string) error {
	s.set.Budget = s.budget
	if err := s.valid(t, "image-column", "thumbnails", "picture-budget", "blur", "link", "figures"); err != nil || s.dir == "" {
		return err
	}
	switch {
	case len(t.Paths) == 0:
		return command.Usagef("--images needs the table that names the images; add --data TABLE")
	case s.set.Link && s.figures != "":
		return command.Usagef("--set figures embeds thumbnails and --set link embeds none; leave one of the two out")
	case s.set.Link && output == "-":
		return command.Usagef("--set link needs the place of the report; use --output REPORT.html")
	case !s.set.Link:
		return nil
	}
	// Links between folder and page need absolute paths.
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return err
	}
	s.dir = dir
	s.set.PageDir, err = filepath.Abs(filepath.Dir(output))
	return err
}

// Open opens the folder.
func (s *shown) Open(t *command.Task) (on bool, tables []string, err error) {
	if t.Command == "serve" {
		if err := s.valid(t, "image-column", "thumbnails", "data"); err != nil {
			return false, nil, err
		}
		s.set.Link, s.set.Prefix = true, "/images?file="
	}
	if s.dir == "" {
		return false, nil, nil
	}
	if s.folder, err = pictures.Open(s.dir); err != nil {
		return false, nil, command.Usage(fmt.Errorf("--images: %w; give the folder that the names in column %s are relative to", err, s.column))
	}
	return true, s.tables, nil
}

// Close closes the folder.
func (s *shown) Close() error { return s.folder.Close() }

// Thumbnail writes an image of the folder.
func (s *shown) Thumbnail(w io.Writer, file string) error {
	err := s.folder.Thumbnail(w, file, s.set.Size)
	if errors.Is(err, pictures.ErrNoImage) {
		return fmt.Errorf("%w in the folder: %q", command.ErrNoImage, file)
	}
	return err
}

// Embed makes linked pictures part of the page.
func (s *shown) Embed(ctx context.Context, p *command.Pictured) (*command.Pictured, error) {
	set, err := p.Data.(*pictures.Set).Embed(ctx, s.folder, pictures.Settings{Size: s.set.Size, Budget: s.set.Budget, Threads: 1})
	if err != nil {
		return nil, err
	}
	return &command.Pictured{Data: set}, nil
}

// Make reads the names of the images, makes the pictures of all results, and writes the figures.
func (s *shown) Make(ctx context.Context, t *command.Task, results []*polydag.Result) (*command.Pictured, error) {
	take := t.Preparation
	columns := pictures.Columns{Image: s.column, Categorical: map[string]bool{}, Scores: t.Table.Source.Scores, First: take.FirstRow, Last: take.LastRow}
	for _, v := range t.Table.Kinds {
		columns.Categorical[v.Name] = v.Kind == dataset.Categorical
	}
	var edges []polydag.Link
	seen := map[string]bool{}
	for _, r := range results {
		for _, name := range r.Names {
			if !seen[name] {
				seen[name] = true
				columns.Names = append(columns.Names, name)
			}
		}
		for _, e := range r.Edges {
			edges = append(edges, polydag.Link{From: e.From, To: e.To})
		}
	}
	effects, omitted, err := causes(results, columns.Names)
	if err != nil {
		return nil, err
	}
	observe, stop := t.Bar().Shares("pictures")
	defer stop()
	set := s.set
	set.Threads, set.Progress = take.Threads, observe
	type made struct {
		set *pictures.Set
		log *pictures.Log
	}
	out, err := command.Within(ctx, t.Name, "searched for images", func() (made, error) {
		src, err := t.Source(ctx)
		if err != nil {
			return made{}, err
		}
		defer src.Close()
		classified := func(c dataset.Column) bool { return c.Name == dataset.ClassifiedColumn }
		if !t.Flags.Changed("image-column") && slices.ContainsFunc(src.Columns(), classified) {
			columns.Image = dataset.ClassifiedColumn
		}
		rows, err := pictures.Read(ctx, src, columns)
		if err != nil {
			return made{}, err
		}
		set, log, err := pictures.Make(ctx, rows, s.folder, edges, effects, set)
		return made{set, log}, err
	})
	switch {
	case errors.Is(err, pictures.ErrColumn):
		return nil, command.Usage(fmt.Errorf("%s: --set image-column: %w", t.Name, err))
	case errors.Is(err, pictures.ErrNone):
		return nil, command.Usage(fmt.Errorf("--images %s: %w; give the folder that the names in column %s are relative to", s.dir, err, s.column))
	case err != nil:
		return nil, err
	}
	stop()
	out.set.Omitted = omitted
	s.tell(out.set, out.log, t)
	if s.figures != "" {
		if err := writeFigures(ctx, t.App, s.figures, results[0], out.set); err != nil {
			return nil, err
		}
	}
	return &command.Pictured{Data: out.set, Linked: out.set.Linked}, nil
}

// mostEffects is the largest number of effects of a result with matched pairs.
const mostEffects = 1000

// causes returns the effects of the results that are DAGs without lags, with their adjustment sets, nearest pairs of cause and
// outcome first. columns are those in the order of the page, which determines the set if several are minimal. omitted is the
// number of the effects beyond mostEffects.
func causes(results []*polydag.Result, columns []string) (list []pictures.Effect, omitted int, err error) {
	for k, r := range results {
		if r.Kind != graph.KindDAG || r.Time != nil {
			continue
		}
		model, err := explain.NewModel(columns, directed(r))
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

// directed returns the directed edges of a result.
func directed(res *polydag.Result) (edges []explain.Edge) {
	for _, e := range res.AllEdges() {
		if e.Directed() {
			edges = append(edges, explain.Edge{Link: e.Link, Lag: e.Lag, Weight: e.Weight, Undirected: e.Reversible()})
		}
	}
	return edges
}

// tell prints what the report shows, and the images that it cannot show.
func (s *shown) tell(set *pictures.Set, log *pictures.Log, t *command.Task) {
	what := fmt.Sprintf("%s of %s, %s of %s", names.Count(len(set.Pictures), "thumbnail"), names.Count(log.Images, "image"), memory.Size(log.Bytes), memory.Size(s.set.Budget))
	if set.Linked {
		what = fmt.Sprintf("%s of %s linked; keep the files where they are", names.Count(len(set.Pictures), "picture"), names.Count(log.Images, "image"))
	}
	if set.Full {
		what += "; for more, raise --set picture-budget or lower --set thumbnails"
	}
	t.Note("pictures: " + what)
	if set.Missing > 0 {
		t.Warn(fmt.Sprintf("%s not in %s, such as %q", names.Are(set.Missing, "image"), s.dir, log.FirstMissing))
	}
	const show = 8
	for _, r := range log.Refused[:min(show, len(log.Refused))] {
		t.Warn(fmt.Sprintf("image %q skipped: %v", r.Name, r.Reason))
	}
	if more := len(log.Refused) - show; more > 0 {
		t.Warn(fmt.Sprintf("%s skipped", names.Are(more, "more image")))
	}
	if set.Every > 1 {
		t.Note(fmt.Sprintf("pictures: the shares count one of %d rows", set.Every))
	}
}

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/causalvae"
	"github.com/polydag/polydag/images/classify"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/atomicfile"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
)

// readLabels reads the labels of the images. The factors are the other columns of the table.
func (v *vae) readLabels(ctx context.Context, folder *pictures.Folder) error {
	in, err := files.Open(v.labels, nil, files.DefaultSettings())
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := in.Source(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	var factors []string
	for _, c := range src.Columns() {
		if c.Name != v.column {
			factors = append(factors, c.Name)
		}
	}
	rows, err := pictures.Read(ctx, src, pictures.Columns{Image: v.column, Names: factors})
	switch {
	case errors.Is(err, pictures.ErrColumn):
		return usageError{fmt.Errorf("--labels %s: --image-column: %w", v.labels, err)}
	case err != nil:
		return err
	}
	x := matrix.New[float64](len(v.images), len(factors))
	for k := range x.Data {
		x.Data[k] = math.NaN()
	}
	found := 0
	for r, name := range rows.Images() {
		p, err := folder.Find(name)
		if err != nil {
			continue
		}
		i, ok := slices.BinarySearch(v.images, p)
		if !ok {
			continue
		}
		found++
		for j, factor := range factors {
			if values := rows.Numbers(factor); values != nil {
				x.Set(i, j, values[r])
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("--labels %s: no image of column %s is in the folder", v.labels, v.column)
	}
	for j, factor := range factors {
		if allNaN(x, j) {
			return fmt.Errorf("--labels %s: column %s has no numbers; encode its texts as numbers or remove it", v.labels, factor)
		}
	}
	v.data.Names, v.data.Labels, v.truth = factors, x, x
	if missing := len(v.images) - found; missing > 0 && !v.quiet {
		fmt.Fprintf(v.err, "note: %s without labels\n", names.Count(missing, "image"))
	}
	return nil
}

func allNaN(x *matrix.Dense[float64], j int) bool {
	for i := range x.Rows {
		if !math.IsNaN(x.At(i, j)) {
			return false
		}
	}
	return true
}

// writeTable writes the factors of each image.
func (v *vae) writeTable(fitted *causalvae.Fitted) error {
	if v.table == "" {
		return nil
	}
	writer, err := tableWriter("--table", v.table)
	if err != nil {
		return err
	}
	content := classify.Latents(v.images, fitted.Names, fitted.Latents)
	return atomicfile.Write(v.table, func(w io.Writer) error { return writer.Write(w, content) })
}

// recovered says how well a factor was recovered.
type recovered struct {
	factor      string
	correlation float64 // the correlation of the latent variable with the label on held-out images
	images      int
}

func (r recovered) sentence() string {
	return fmt.Sprintf("%s: correlation %.3f with its label on %d held-out images", r.factor, r.correlation, r.images)
}

// recovery compares factors with the labels of held-out images. It is empty without such labels.
func (v *vae) recovery(fitted *causalvae.Fitted) (out []recovered) {
	held := v.held()
	if len(held) < 3 {
		return nil
	}
	for j, name := range fitted.Names {
		var pairs []float64
		for _, i := range held {
			pairs = append(pairs, fitted.Latents.At(i, j), v.truth.At(i, j))
		}
		m := dataset.NewMoments([]string{"latent", "label"})
		if err := m.AddBlock(pairs); err != nil {
			continue
		}
		if r := m.Correlation().At(0, 1); r-r == 0 {
			out = append(out, recovered{name, r, len(held)})
		}
	}
	return out
}

// tell prints how well the factors were recovered.
func (v *vae) tell(list []recovered) {
	trained := len(v.images)
	for _, held := range v.data.Held {
		if held {
			trained--
		}
	}
	fmt.Fprintf(v.out, "CausalVAE: %s from %s (%d × %d pixels), %d with labels.\n",
		names.Count(len(v.data.Names), "factor"), names.Count(trained, "image"), v.side, v.side, v.data.Labelled())
	if len(list) == 0 {
		fmt.Fprintf(v.out, "Nothing identifies the factors without labels.\n\n")
		return
	}
	width := len("factor")
	for _, r := range list {
		width = max(width, len([]rune(r.factor)))
	}
	fmt.Fprintf(v.out, "\n  %-*s  correlation with its label (%d held-out images)\n", width, "factor", list[0].images)
	for _, r := range list {
		fmt.Fprintf(v.out, "  %-*s  %.3f\n", width, r.factor, r.correlation)
	}
	fmt.Fprintln(v.out)
}

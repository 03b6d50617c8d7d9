package commands

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/trust"
)

// panelImages is the number of images in a row of the sheet of panels.
const panelImages = 4

// writeFigures writes the graph with a typical image in each node and an exception at each edge, and a sheet with the images of all variables
// and the exceptions to all edges, as SVG, PDF and PNG.
func writeFigures(ctx context.Context, a *command.App, dir string, res *polydag.Result, set *pictures.Set) error {
	jpeg := func(list []int, most int) (out [][]byte, err error) {
		for _, k := range list[:min(len(list), most)] {
			text, err := base64.StdEncoding.DecodeString(set.Pictures[k].Source)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
		return out, nil
	}
	opt := draw.DefaultSettings()
	opt.Images = draw.Images{Nodes: map[string][]byte{}, Edges: map[polydag.Link][]byte{}}
	var panels []draw.Panel
	used := map[int]bool{}
	for _, v := range set.Variables {
		if typical, err := jpeg(ofNode(v, used), 1); err != nil {
			return err
		} else if len(typical) > 0 {
			opt.Images.Nodes[v.Name] = typical[0]
		}
		for _, g := range v.Groups {
			show, err := jpeg(g.Pictures, panelImages)
			if err != nil {
				return err
			}
			if len(show) > 0 {
				panels = append(panels, draw.Panel{Title: fmt.Sprintf("%s: %s (%s of the rows)", v.Name, g.Label, percentOf(g.Share)), Images: show})
			}
		}
	}
	for _, g := range set.Edges {
		rarest, exception := 1.0, draw.Panel{}
		for i, row := range g.Cells {
			for j, cell := range row {
				if len(cell.Pictures) == 0 || !(cell.Expected > 0) || cell.Share/cell.Expected >= rarest {
					continue
				}
				show, err := jpeg(cell.Pictures, panelImages)
				if err != nil {
					return err
				}
				rarest, opt.Images.Edges[g.Link] = cell.Share/cell.Expected, show[0]
				exception = draw.Panel{
					Title:  fmt.Sprintf("%s: %s, %s: %s (%s of the rows, %s if independent)", g.From, g.Rows[i], g.To, g.Cols[j], percentOf(cell.Share), percentOf(cell.Expected)),
					Images: show,
				}
			}
		}
		if exception.Images != nil {
			panels = append(panels, exception)
		}
	}
	graph, err := draw.New(ctx, res, opt)
	if err != nil {
		return err
	}
	figures := map[string]*draw.Picture{"graph": graph}
	if len(panels) > 0 {
		var notes []string
		if caution := trust.PeopleSentence(res.Warnings); caution != "" {
			notes = append(notes, caution)
		}
		if figures["panels"], err = draw.Panels(panels, notes, draw.DefaultSettings()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--set figures=%s: %w; give a folder that can be written", dir, command.Cause(err))
	}
	for name, p := range figures {
		for _, format := range draw.Formats() {
			path := filepath.Join(dir, strings.Join([]string{name, string(format)}, "."))
			if err := a.Data(ctx, path, func(w io.Writer) error { return p.Write(w, format) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofNode returns the image for the node of a variable: one of its first group, which has the attribute or the highest values, that no other node
// has if there is one.
func ofNode(v pictures.Examples, used map[int]bool) []int {
	if len(v.Groups) == 0 || len(v.Groups[0].Pictures) == 0 {
		return nil
	}
	list := v.Groups[0].Pictures
	k := list[max(0, slices.IndexFunc(list, func(k int) bool { return !used[k] }))]
	used[k] = true
	return []int{k}
}

// percentOf formats a share.
func percentOf(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }

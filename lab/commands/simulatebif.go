package commands

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/splitmix"
)

// isNetwork reports whether a file is named like a network in the format BIF.
func isNetwork(path string) bool { return strings.EqualFold(filepath.Ext(path), ".bif") }

// writeNetwork writes rows drawn from a network in the format BIF.
func (a *app) writeNetwork(ctx context.Context, s *simulation) error {
	if len(s.data) > 0 {
		return command.Usagef("--data: the probabilities are in %s; omit it", s.from)
	}
	r, name, err := a.Open(ctx, s.from)
	if err != nil {
		return err
	}
	defer r.Close()
	net, err := bif.Read(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var edges []command.Edge
	for _, v := range net.Variables {
		for _, p := range v.Parents {
			edges = append(edges, command.Edge{Link: graph.Link{From: net.Variables[p].Name, To: v.Name}})
		}
	}
	if err := intervene(net, s.set); err != nil {
		return err
	}
	if err := fitsModel(ctx, 4*int64(s.rows)*int64(len(net.Variables))); err != nil {
		return err
	}
	columns := net.Sample(splitmix.Stream(s.cfg.Seed, 0), s.rows)
	table := files.Content{Names: net.Names(), Count: s.rows, Rows: func(yield func([]float64) bool) {
		row := make([]float64, len(columns))
		for i := range s.rows {
			for v := range columns {
				row[v] = float64(columns[v][i])
			}
			if !yield(row) {
				return
			}
		}
	}}
	if s.format.Text() {
		for _, v := range net.Variables {
			table.Words = append(table.Words, v.Levels)
		}
	}
	if err := a.WriteTable(ctx, s.output, s.format, table); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	if err := a.WriteEdges(ctx, s.truth, edges); err != nil {
		return err
	}
	a.Line(fmt.Sprintf("%s × %s from the network %s", names.Count(s.rows, "row"), names.Count(len(net.Variables), "column"), s.from))
	return context.Cause(ctx)
}

// intervene sets the variables that --do names: they lose their parents and have the given level with probability one.
func intervene(net *bif.Network, list []string) error {
	values, err := command.Interventions(list)
	if err != nil {
		return err
	}
	for _, x := range values {
		k := net.Index(x.Name)
		if k < 0 {
			return command.Usagef("--do %s: the network has no such variable%s", x.Name, command.NearColumn(x.Name, net.Names()))
		}
		v := &net.Variables[k]
		level := slices.Index(v.Levels, x.Value)
		if level < 0 {
			return command.Usagef("--do %s=%s: want one of %v", x.Name, x.Value, v.Levels)
		}
		v.Parents, v.Table = nil, make([]float64, len(v.Levels))
		v.Table[level] = 1
	}
	return nil
}

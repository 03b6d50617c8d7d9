package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
)

// These are the kinds of units on one part of a table. Their outcomes are encoded by files.WriteMoments and
// files.WriteCounts.
const (
	KindMoments = "table.moments/1"
	KindCounts  = "table.counts/1" // aggregates equal rows
)

var errSeries = errors.New("the parts of a time series depend on each other; learn on this machine alone")

// Moments computes the moments of several tables with the same columns, one unit each, and passes them on in
// order. Merged in that order, they have the same bytes as if one process read all tables.
func Moments(ctx context.Context, runner work.Runner, title string, parts [][]string, read Reading, each func(k int, m *dataset.Moments) error) error {
	return ofParts(ctx, runner, title, KindMoments, parts, read, func(k int, outcome []byte) error {
		m, _, err := files.ReadMoments(fmt.Sprintf("the moments of part %d", k+1), bytes.NewReader(outcome), int64(len(outcome)))
		if err != nil {
			return err
		}
		return each(k, m)
	})
}

// Counts is Moments for aggregated counts.
func Counts(ctx context.Context, runner work.Runner, title string, parts [][]string, read Reading, each func(k int, c *dataset.Counts) error) error {
	return ofParts(ctx, runner, title, KindCounts, parts, read, func(k int, outcome []byte) error {
		c, err := files.ReadCounts(fmt.Sprintf("the counts of part %d", k+1), bytes.NewReader(outcome), int64(len(outcome)))
		if err != nil {
			return err
		}
		return each(k, c)
	})
}

// ofParts makes one unit per table and passes the outcomes on in the order of the tables.
func ofParts(ctx context.Context, runner work.Runner, title, kind string, parts [][]string, read Reading, each func(k int, outcome []byte) error) error {
	if read.Time.Given() {
		return errSeries
	}
	job := &work.Job{Title: title}
	for _, paths := range parts {
		t, err := Ship(job, paths, read)
		if err != nil {
			return err
		}
		if err := t.add(job, kind, t); err != nil {
			return err
		}
	}
	return runner.Run(ctx, job, work.InOrder(len(parts), each))
}

// MomentsHandler handles units of KindMoments within the given memory; 0 means no limit.
func MomentsHandler(memory int64) work.Handler {
	return partHandler(func(ctx context.Context, out io.Writer, t *Files, in *work.Inputs) error {
		return t.Prepare(ctx, in, memory, func(table *polydag.Table) error { return files.WriteMoments(out, table.Moments, nil) })
	})
}

// CountsHandler handles units of KindCounts within the given memory; 0 means the default of
// dataset.NewCountsMaker.
func CountsHandler(memory int64) work.Handler {
	return partHandler(func(ctx context.Context, out io.Writer, t *Files, in *work.Inputs) error {
		return t.open(ctx, in, memory, func(source *files.Input, settings polydag.Preparation) error {
			settings.File = source.Name
			c, err := prepare.Count(ctx, source.Source, settings)
			if err != nil {
				return err
			}
			return files.WriteCounts(out, c)
		})
	})
}

func partHandler(do func(ctx context.Context, out io.Writer, t *Files, in *work.Inputs) error) work.Handler {
	return work.Handler{Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
		var t Files
		if err := work.Strict(body, &t); err != nil {
			return nil, fmt.Errorf("not a table: %w", err)
		}
		if t.Read.Time.Given() {
			return nil, errSeries
		}
		var out bytes.Buffer
		err := do(ctx, &out, &t, in)
		return out.Bytes(), err
	}}
}

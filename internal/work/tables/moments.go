package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/work"
)

// KindMoments is a unit of work that is the moments of one part of a table, as the bytes of files.WriteMoments.
const KindMoments = "table.moments/1"

// Moments finds the moments of several tables with the same columns, a unit each, and hands them out in the order of the tables. Merged in
// that order they have the bytes that they have when one process reads one table after the other.
func Moments(ctx context.Context, runner work.Runner, title string, parts [][]string, read Reading, each func(k int, m *dataset.Moments) error) error {
	return ofParts(ctx, runner, title, KindMoments, parts, read, func(k int, outcome []byte) error {
		m, _, err := files.ReadMoments(fmt.Sprintf("the moments of part %d", k+1), bytes.NewReader(outcome), int64(len(outcome)))
		if err != nil {
			return err
		}
		return each(k, m)
	})
}

// ofParts makes a unit of that kind of each table, and hands out what comes of them in the order of the tables.
func ofParts(ctx context.Context, runner work.Runner, title, kind string, parts [][]string, read Reading, each func(k int, outcome []byte) error) error {
	job := &work.Job{Title: title}
	for _, paths := range parts {
		t, err := Ship(job, paths, read)
		if err != nil {
			return err
		}
		u, err := work.NewUnit(kind, t, t.Needs()...)
		if err != nil {
			return err
		}
		job.Units = append(job.Units, u)
	}
	return runner.Run(ctx, job, work.InOrder(len(parts), each))
}

// MomentsHandler does units of KindMoments within so many bytes of memory; 0 is no bound.
func MomentsHandler(memory int64) work.Handler {
	return work.Handler{Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
		var t Files
		if err := work.Strict(body, &t); err != nil {
			return nil, fmt.Errorf("not a table: %w", err)
		}
		var out bytes.Buffer
		err := t.Prepare(ctx, in, memory, func(table *polydag.Table) error {
			return files.WriteMoments(&out, table.Moments, nil)
		})
		return out.Bytes(), err
	}}
}

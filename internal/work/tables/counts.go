package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/work"
)

// KindCounts is a unit of work that joins the equal rows of one part of a table, as the bytes of files.WriteCounts.
const KindCounts = "table.counts/1"

// Counts joins the equal rows of several tables with the same columns, a unit each, and hands them out in the order of the tables. Merged they
// have the bytes that they have when one process reads all of them.
func Counts(ctx context.Context, runner work.Runner, title string, parts [][]string, read Reading, each func(k int, c *dataset.Counts) error) error {
	return ofParts(ctx, runner, title, KindCounts, parts, read, func(k int, outcome []byte) error {
		c, err := files.ReadCounts(fmt.Sprintf("the counts of part %d", k+1), bytes.NewReader(outcome), int64(len(outcome)))
		if err != nil {
			return err
		}
		return each(k, c)
	})
}

// CountsHandler does units of KindCounts within so many bytes of memory; 0 is the default of dataset.NewCountsMaker.
func CountsHandler(memory int64) work.Handler {
	return work.Handler{Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
		var t Files
		if err := work.Strict(body, &t); err != nil {
			return nil, fmt.Errorf("not a table: %w", err)
		}
		var out bytes.Buffer
		err := t.open(ctx, in, memory, func(source *files.Input, settings polydag.Preparation) error {
			settings.File = source.Name
			c, err := prepare.Count(ctx, source.Source, settings)
			if err != nil {
				return err
			}
			return files.WriteCounts(&out, c)
		})
		return out.Bytes(), err
	}}
}

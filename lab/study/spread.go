package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// KindRun is the kind of a unit that is one run of a study.
const KindRun = "study.run/1"

// runBody is the body of a unit of KindRun. Table is the input with the given data; empty for simulated data.
type runBody struct {
	Run   json.RawMessage `json:"run"`
	Table string          `json:"table,omitempty"`
}

// runOutcome is the outcome of a unit: a record and, if something was learned, the graph, or unusable data.
type runOutcome struct {
	Record *Record `json:"record,omitempty"`
	Graph  *Graph  `json:"graph,omitempty"`
	Broken string  `json:"broken,omitempty"`
}

// Handler does runs of studies from other processes. jobs is the number of concurrent runs, for the records. It
// reads no file: given data is an input of the unit. memory limits the memory of a unit; 0 means no limit.
func Handler(jobs int, memory int64) work.Handler {
	opt := Execution{Jobs: jobs}.described()
	return work.Handler{
		Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
			b, r, err := decodeBody(body)
			if err != nil {
				return nil, err
			}
			if err := b.fits(ctx, r, in, memory); err != nil {
				return nil, err
			}
			opt := opt
			opt.Load = func(ctx context.Context, name, _ string, _ []string) (*dataset.NamedRows, []string, error) {
				if b.Table == "" {
					return nil, nil, fmt.Errorf("%w: the unit does not bring the dataset %.60q along", ErrNoData, name)
				}
				given, err := b.given(ctx, in)
				if err != nil {
					return nil, nil, err
				}
				return given.table, given.notes, nil
			}
			rec, learned, err := r.Do(ctx, opt)
			out := runOutcome{Record: rec, Graph: learned}
			if broken := new(dataError); errors.As(err, &broken) && ctx.Err() == nil {
				out, err = runOutcome{Broken: broken.Error()}, nil
			}
			if err != nil {
				return nil, err
			}
			return json.Marshal(out)
		},
		Memory: func(body json.RawMessage) (int64, error) {
			_, r, err := decodeBody(body)
			if err != nil {
				return 0, err
			}
			return r.memory(r.Point.Samples, max(r.Point.Nodes, len(r.Point.Columns))), nil
		},
	}
}

// fits returns an error if the given table needs more memory than a unit may use. Handler.Memory knows only the
// sizes in the body.
func (b *runBody) fits(ctx context.Context, r Run, in *work.Inputs, memory int64) error {
	if b.Table == "" {
		return nil
	}
	given, err := b.given(ctx, in)
	if err != nil {
		return err
	}
	return work.Fits("the run", r.memory(given.table.Rows.Rows, given.table.Rows.Cols), memory)
}

// memory estimates the memory of a run of any kind with the given rows and columns.
func (r Run) memory(rows, columns int) int64 {
	n, d := int64(rows), int64(columns)
	need := 3*8*n*d + 12*8*d*d
	if r.Kind == KindLearn {
		need += r.checked().Memory(rows, columns)
	}
	return need
}

func (b *runBody) given(ctx context.Context, in *work.Inputs) (*shipped, error) {
	v, err := in.Get(ctx, b.Table, decodeTable)
	if err != nil {
		return nil, err
	}
	given, ok := v.(*shipped)
	if !ok {
		return nil, errors.New("the input is something else than a table")
	}
	return given, nil
}

// decodeBody decodes an untrusted body.
func decodeBody(text []byte) (b runBody, r Run, err error) {
	if err = work.Strict(text, &b); err != nil {
		return b, r, fmt.Errorf("not a run of a study: %w", err)
	}
	if r, err = DecodeRun(b.Run); err != nil {
		return b, r, err
	}
	if !slices.Contains([]string{KindLearn, KindCost, KindCycle}, r.Kind) {
		return b, r, fmt.Errorf("a run of the unknown kind %.40q", r.Kind)
	}
	if n, d := r.Point.Samples, max(r.Point.Nodes, len(r.Point.Columns)); n < 0 || d < 0 || n > 1<<31 || d > 1<<17 {
		return b, r, fmt.Errorf("a run of %d rows and %d columns is not one", n, d)
	}
	if r.Kind != KindLearn && r.Point.Nodes < 2 || r.Kind == KindCost && r.Point.Samples < 2 {
		return b, r, fmt.Errorf("a run of kind %s needs two nodes, and rows to learn from", r.Kind)
	}
	return b, r, nil
}

// spread does runs with a runner other than the pool of Execute, and records them as they arrive.
func (e *execution) spread(ctx context.Context, todo []task) error {
	job := &work.Job{Title: fmt.Sprintf("%d runs of a study", len(todo))}
	var sent []task
	tables := map[string]string{} // inputs of given data
	for _, r := range todo {
		if e.stopped(ctx) {
			return nil
		}
		table, err := e.table(ctx, job, r, tables)
		if err != nil {
			e.finish(ctx, r, nil, &dataError{err})
			continue
		}
		text, err := json.Marshal(r.Run)
		if err != nil {
			return err
		}
		var needs []string
		if table != "" {
			needs = []string{table}
		}
		u, err := work.NewUnit(KindRun, runBody{text, table}, needs...)
		if err != nil {
			return err
		}
		job.Units, sent = append(job.Units, u), append(sent, r)
	}
	if len(sent) == 0 {
		return nil
	}
	return e.opt.Runner.Run(ctx, job, func(i int, text []byte) error {
		var out runOutcome
		if err := json.Unmarshal(text, &out); err != nil {
			return fmt.Errorf("the outcome of unit %s: %w", job.Units[i].ID, err)
		}
		if out.Broken != "" {
			e.finish(ctx, sent[i], nil, &dataError{errors.New(out.Broken)})
			return nil
		}
		if out.Record == nil || out.Record.Key != sent[i].Key || out.Graph != nil && out.Graph.check() != nil {
			return fmt.Errorf("the outcome of unit %s is not the record of its run", job.Units[i].ID)
		}
		err := e.record(out.Record, out.Graph)
		e.finish(ctx, sent[i], out.Record, err)
		return err
	})
}

// table adds the given data of a run to the job, once, and returns its name; empty for simulated data.
func (e *execution) table(ctx context.Context, job *work.Job, r task, tables map[string]string) (string, error) {
	if r.Point.Dataset == "" {
		return "", nil
	}
	key := fmt.Sprintf("%q %q %q", r.Point.Dataset, r.Point.File, r.Point.Columns)
	if name, ok := tables[key]; ok {
		return name, nil
	}
	if e.opt.Load == nil {
		return "", fmt.Errorf("%w: dataset %s", ErrNoData, r.Point.Dataset)
	}
	t, notes, err := e.opt.Load(ctx, r.Point.Dataset, r.Point.File, r.Point.Columns)
	if err != nil {
		return "", err
	}
	tables[key] = job.Add(encodeTable(t, notes))
	return tables[key], nil
}

type shipped struct {
	table *dataset.NamedRows
	notes []string
}

const tableLayout = "study table/1"

func encodeTable(t *dataset.NamedRows, notes []string) []byte {
	w := wire.NewWriter(tableLayout)
	for _, list := range [][]string{t.Names, notes} {
		w.Int(len(list))
		for _, s := range list {
			w.Raw([]byte(s))
		}
	}
	w.Int(t.Rows.Rows)
	for i := range t.Rows.Rows {
		wire.Floats(w, t.Rows.Row(i))
	}
	return w.Seal()
}

func decodeTable(b []byte) (any, error) {
	r := wire.NewReader(tableLayout, b)
	texts := func() (list []string) {
		for range r.Between(0, len(b)) {
			list = append(list, string(r.Raw()))
			if r.Err() != nil {
				break
			}
		}
		return list
	}
	names, notes := texts(), texts()
	rows := r.Between(0, len(b)/max(1, 8*len(names)))
	if r.Err() != nil {
		return nil, r.Err()
	}
	x := matrix.New[float64](rows, len(names))
	for i := range rows {
		wire.ReadFloats(r, x.Row(i))
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	return &shipped{&dataset.NamedRows{Names: names, Rows: x}, notes}, dataset.CheckNames(names, "")
}

package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/polydag/polydag"
)

// A Journal is an append-only file of records, one JSON object per line. A line is written in one call and
// synced before Append returns. A killed process leaves an incomplete last line; OpenJournal removes it, and
// the run is repeated. One process at a time may open a journal for writing.
type Journal struct {
	mu      sync.Mutex
	f       *os.File
	records map[string]*Record
	order   []string
	torn    bool
}

// OpenJournal opens or creates the file and reads its records.
func OpenJournal(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot open the records: %w; check the folder and its permissions", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot read the records: %w", err)
	}
	recs, whole, err := parseRecords(text)
	if err == nil && whole < len(text) {
		err = f.Truncate(int64(whole))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	j := &Journal{f: f, records: map[string]*Record{}, torn: whole < len(text)}
	for _, r := range recs {
		j.keep(r)
	}
	return j, nil
}

// ReadRecords reads a file of records without changing it. It ignores an incomplete last line. A missing file
// has no records.
func ReadRecords(path string) ([]*Record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the records: %w", err)
	}
	recs, _, err := parseRecords(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return recs, nil
}

// parseRecords returns the records and the length of the complete part. It omits records that join two solves,
// so that their runs are repeated.
func parseRecords(text []byte) (recs []*Record, whole int, err error) {
	recs, whole, err = parseLines(text, "record", func(r *Record) error {
		if r.Schema != RecordSchema {
			return fmt.Errorf("schema is %q, this version reads %q; use another --out", r.Schema, RecordSchema)
		}
		if r.Versions.Commit == "" { // written before records had this field
			r.Versions.Commit = unknownCommit
		}
		return nil
	})
	return slices.DeleteFunc(recs, (*Record).joined), whole, err
}

// parseLines reads one JSON object per line and returns them with the length of the complete part. Only the
// last line may be incomplete: without a line end, or invalid JSON after a crash of the machine.
func parseLines[T any](text []byte, what string, check func(*T) error) (list []*T, whole int, err error) {
	for line := 1; whole < len(text); line++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return list, whole, nil
		}
		v := new(T)
		if err := json.Unmarshal(text[whole:whole+end], v); err != nil {
			if whole+end+1 == len(text) {
				return list, whole, nil
			}
			return nil, 0, fmt.Errorf("line %d is not a %s: %w; remove the line and its run is run again", line, what, err)
		}
		if err := check(v); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", line, err)
		}
		list = append(list, v)
		whole += end + 1
	}
	return list, whole, nil
}

// joined reports whether an earlier version of this program added the time and the trace of the scale check to
// those of the solve.
func (r *Record) joined() bool {
	for phase := range r.Seconds {
		if strings.HasPrefix(phase, "solve: "+polydag.ScaleCheckPrefix) {
			return true
		}
	}
	return false
}

// keep adds a record. Of two with one key the first stays, unless its run reached the time limit.
func (j *Journal) keep(r *Record) {
	old, ok := j.records[r.Key]
	if !ok {
		j.order = append(j.order, r.Key)
	}
	if !ok || r.better(old) {
		j.records[r.Key] = r
	}
}

// better reports whether a record replaces an older one of the same run, which reached its time limit.
func (r *Record) better(old *Record) bool {
	return old.BudgetSeconds > 0 && (r.BudgetSeconds == 0 || r.BudgetSeconds > old.BudgetSeconds)
}

// Append writes a record. It is safe for concurrent use.
func (j *Journal) Append(r *Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record %s: %w", r.Key, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.f.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("cannot write the record of %s: %w; what was written is kept, run the command again to go on", r.Key, err)
	}
	if err := j.f.Sync(); err != nil {
		return fmt.Errorf("cannot write the record of %s: %w", r.Key, err)
	}
	j.keep(r)
	return nil
}

// has reports whether there is a record that a run with this budget (0 for no limit) would not improve.
func (j *Journal) has(key string, budget time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.records[key]
	return r != nil && !(&Record{BudgetSeconds: budget.Seconds()}).better(r)
}

// Torn reports whether OpenJournal removed an incomplete line.
func (j *Journal) Torn() bool { return j.torn }

// Records returns all records in the order of the file.
func (j *Journal) Records() []*Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]*Record, len(j.order))
	for i, k := range j.order {
		out[i] = j.records[k]
	}
	return out
}

// Close closes the file.
func (j *Journal) Close() error { return j.f.Close() }

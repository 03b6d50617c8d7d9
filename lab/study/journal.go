package study

import (
	"fmt"
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
	f, recs, torn, err := openLines(path, "record", (*Record).check)
	if err != nil {
		return nil, err
	}
	j := &Journal{f: f, records: map[string]*Record{}, torn: torn}
	for _, r := range slices.DeleteFunc(recs, (*Record).joined) {
		j.add(r)
	}
	return j, nil
}

// ReadRecords reads a file of records without changing it. It ignores an incomplete last line. A missing file
// has no records.
func ReadRecords(path string) ([]*Record, error) {
	recs, err := readLines(path, "record", (*Record).check)
	return slices.DeleteFunc(recs, (*Record).joined), err
}

// check returns an error for a record of another version.
func (r *Record) check() error {
	if r.Schema != RecordSchema {
		return fmt.Errorf("schema is %q, this version reads %q; use another --out", r.Schema, RecordSchema)
	}
	if r.Versions.Commit == "" { // written before records had this field
		r.Versions.Commit = unknownCommit
	}
	return nil
}

// joined reports whether an earlier version of this program added the time and the trace of the scale check to
// those of the solve. Such a record is omitted, so that its run is repeated.
func (r *Record) joined() bool {
	for phase := range r.Seconds {
		if strings.HasPrefix(phase, "solve: "+polydag.ScaleCheckPrefix) {
			return true
		}
	}
	return false
}

// add adds a record. Of two with one key the first stays, unless its run reached the time limit.
func (j *Journal) add(r *Record) {
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
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := appendLine(j.f, "record", r.Key, r); err != nil {
		return err
	}
	j.add(r)
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

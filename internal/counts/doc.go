// Package counts computes contingency tables of categorical columns, which are all that a discrete local score
// needs.
//
//	t, err := counts.New(columns, counts.Rows{})
//	c := t.Counter()                        // one per goroutine
//	cells, configs := c.Family(2, []int{0, 1})
//
// A table has one level per row and column. Its rows may have integer weights (Rows.Weights, for aggregated
// counts and the bootstrap). Identical rows may be merged (Rows.Merge). Rows may be interventional: a row with
// an intervention on a variable has no information about its causes, so the counts of that variable exclude the
// row (Rows.Targets).
//
// There are several ways to count, all with the same result. The tests compare each with a plain loop.
//
//   - bits.go: the rows with one configuration of binary columns are a bit set, restricted by one parent at a time.
//     It processes 64 rows per instruction; the cost doubles with each parent.
//   - dense.go: a counter for every configuration, with one addition per row and column.
//   - sparse.go: a counter for every configuration that occurs, numbered by a hash table.
//   - lanes.go: for all columns that could be added to a set at once. Rows are sorted by their configuration, and 64
//     one-hot levels are summed at a time (vertical.go).
//   - joint.go: the same from the cached counts of the set without one of its columns. Only the rows without that
//     column's most common level are counted. It needs rows without weights and targets. If all columns of the set
//     are binary, the rows in which several have their rare level are counted once for all sets (rare.go).
//
// A table of n rows and d columns needs about n·(d + levels/8) bytes, plus at most 4·n·d for joints. A Counter
// needs 8·n bytes, plus 32·n for hashing. The cached joints need at most JointBytes.
package counts

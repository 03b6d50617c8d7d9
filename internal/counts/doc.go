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
//   - bits.go: the rows that have one configuration of binary columns are a bit set, narrowed one parent at a time.
//     64 rows an instruction; the price doubles with each parent.
//   - dense.go: a counter for every configuration. One addition a row and column.
//   - sparse.go: a counter for every configuration that occurs, numbered by a hash table.
//   - lanes.go: for all columns that could be added to a set at once. Rows are sorted by their
//     configuration, and 64 one-hot levels are summed at a time (vertical.go). bitlanes.go does the same with
//     bit sets where there are few parents and all columns are binary.
//   - joint.go: the same from the counts of the set without one of its columns, which are kept: only the rows count in which
//     that column does not have its most common level. For rows without weights and targets. Where all columns of the set are
//     binary, the rows in which several have their rare level are counted once for all sets (rare.go).
//
// A table of n rows and d columns needs about n·(d + levels/8) bytes, plus at most 4·n·d for joints. A Counter
// needs 8·n bytes, plus 32·n for hashing. The cached joints need at most JointBytes.
package counts

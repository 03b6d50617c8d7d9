// Package counts counts how often the levels of categorical columns occur together, which is all that a
// discrete local score needs of a table.
//
//	t, err := counts.New(columns, counts.Rows{})
//	c := t.Counter()                        // one a goroutine
//	cells, configs := c.Family(2, []int{0, 1})
//
// A table holds one level a row and column. Its rows may carry integer weights (Rows.Weights, for tables that
// were tallied already and for the bootstrap), may be merged where they are identical (Rows.Merge), and may
// stand under interventions: a row in which a variable was set by the experimenter says nothing about that
// variable's causes, so it is left out of that variable's counts and only there (Rows.Targets).
//
// There are several ways to count. They give the same numbers, and the tests compare each with a plain loop.
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
// A table of n rows and d columns takes about n·(d + levels/8) bytes, with joints 4·n·d more at most, and a Counter 8·n, with hashing 32·n
// more. The joints that are kept take at most JointBytes.
package counts

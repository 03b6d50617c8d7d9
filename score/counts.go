package score

import "github.com/polydag/polydag/internal/counts"

// CountTable is a table of categorical columns, ready to be counted: what NewDiscrete takes.
type CountTable = counts.Table

// CountOptions say which rows count how often, and which rows tell nothing about a column because it was intervened on.
type CountOptions = counts.Options

// Count prepares columns of level codes to be counted. Codes are only names: levels that no row has do not count. It neither
// changes nor keeps columns.
func Count(columns [][]int, o CountOptions) (*CountTable, error) { return counts.New(columns, o) }

package basis

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
)

// The functions of a lagged number are the number and lagCurves curves of its rank; those of a category with at most lagLevels levels
// are indicators. With more than mostFunctions in all, only linear effects count.
const (
	lagCurves     = 3
	lagLevels     = 16
	mostFunctions = 2000
)

// Lagged expands rows of d columns and their lagged values: the numbers at the present time, functions of lagged numbers, and indicators
// of categories. It returns the names and the lags of the functions, and their values in each row. There are none if they would be too
// many.
func Lagged(names []string, kinds []dataset.Variable, values []float64, d int) (functions []string, lagOf []int, rows []float64, err error) {
	categorical, straight := make([]bool, len(names)), make([]bool, len(names))
	for j, k := range kinds {
		categorical[j] = k.Kind == dataset.Categorical && len(k.Words) <= lagLevels
	}
	for j := range d {
		straight[j] = true
	}
	fit := NewFit(names, categorical)
	if err := fit.Add(values); err != nil {
		return nil, nil, nil, err
	}
	set := DefaultSettings()
	set.Curves, set.Crossed, set.MaxLevels, set.Straight = lagCurves, 0, math.MaxInt, straight
	f, err := fit.Functions(set)
	if err != nil || f.Size() > mostFunctions {
		return nil, nil, nil, err
	}
	rows, kept, err := f.ExpandAll(values)
	for _, k := range kept {
		lagOf = append(lagOf, k.Column/d)
		functions = append(functions, fmt.Sprintf("%q.%d", names[k.Column], k.Function))
	}
	return functions, lagOf, rows, err
}

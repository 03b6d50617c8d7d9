package polydag

import (
	"context"
	"fmt"
	"math/big"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/names"
)

// fitsLags returns an error if the lagged copies of the columns of base are too many columns, or if their moments exceed the memory.
// chosen says that a graph is learned from them to choose the lags.
func fitsLags(ctx context.Context, base *Table, lags int, chosen bool, p Preparation) error {
	d := base.Moments.Dim()
	way := []any{fault.Use("lags"), fault.Use("columns"), fault.Use("drop")}
	const fewer = "use a smaller value of %s, or choose fewer columns (%s, %s)"
	if lags >= p.MaxColumns/max(d, 1) {
		all := new(big.Int).Mul(big.NewInt(int64(d)), new(big.Int).Add(big.NewInt(int64(lags)), big.NewInt(1)))
		return fault.New(dataset.ErrTooWide, fmt.Sprintf("too many columns: %d columns with %s are %s columns, limit %d", d, names.Count(lags, "lag"), all, p.MaxColumns), fewer, way...)
	}
	wide := d * (lags + 1)
	need := 8*int64(d)*int64(d) + dataset.AccumulatorBytes(wide)
	if chosen {
		need = max(need, lagSearch(p.Threads).Memory(base.Rows(), wide))
	}
	what := fmt.Sprintf("the covariance matrix of %d columns with %s, %d columns,", d, names.Count(lags, "lag"), wide)
	if p.MaxMemory > 0 && need > p.MaxMemory {
		return memory.Refuse(what, need, p.MaxMemory, fewer, way...)
	}
	return memory.Need(ctx, what, need, fewer, way...)
}

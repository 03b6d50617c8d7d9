package confidence

import "github.com/polydag/polydag"

// unrolled calls learn with the unrolled form of a table with lags and folds its result.
func unrolled(table *polydag.Table, cfg polydag.Config, learn func(*polydag.Table, polydag.Config) (*polydag.Result, error)) (*polydag.Result, error) {
	flat, own, err := table.Unrolled(cfg)
	if err != nil {
		return nil, err
	}
	res, err := learn(flat, own)
	return table.Fold(cfg, res), err
}

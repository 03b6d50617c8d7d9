package search

import "context"

// TopDown returns the graph that equal noise variances suggest before any search: the order in which the variable of
// least residual variance comes next (Chen, Drton and Wang 2019), and the parents that BIC chooses along it. Where the
// model holds it is usually the answer already; where it does not, Result.Scores show that for the price of one
// pass, and the search under Equal can be spared.
func TopDown(ctx context.Context, p Problem, s Settings) (*Result, error) {
	s.Variance = Equal
	if err := validate(p, s); err != nil {
		return nil, err
	}
	s.Variance = Unequal
	r := newRun("top-down", p, s, nil)
	defer r.e.pool.stop()
	defer r.watch(ctx)()
	if err := r.resume(); err != nil {
		return nil, err
	}
	r.e.setBase(r.penalty)
	r.e.setPenalty(r.penalty)
	r.place(ctx, r.e, newModel(p, Equal).scale2)
	return r.result(ctx), nil
}

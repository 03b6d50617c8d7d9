package search

import "context"

// TopDown returns the graph that equal noise variances suggest without a search: the order in which the variable with the smallest
// residual variance comes next (Chen, Drton and Wang 2019), and the parents that BIC chooses along it. If the assumption is true
// this is usually the result already; if not, Result.Scores shows that in one pass, and the search under Equal can be skipped.
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

package order

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
	d := p.R.Rows
	r := &run{ctx: ctx, p: p, s: s, observe: func(Progress) {}, penalty: s.EdgePenalty(p.N, d)}
	r.e = newEngine(p, s, newModel(p, Unequal), p.Knowledge.compile(d))
	defer r.e.pool.stop()
	r.e.setBase(r.penalty)
	r.e.setPenalty(r.penalty)
	r.e.start(newModel(p, Equal).scale2, r.stopped)
	return r.result(), nil
}

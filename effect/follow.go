package effect

// follow is what a survey asks about one column that is set where effects are averages over rows: the columns that are looked at, and the
// contrast.
type follow struct {
	targets []int
	x0, x1  float64
}

// following is a model of mechanisms whose figures about one column that is set are found together: each column that follows from it is
// evaluated once for a value, for all columns that are looked at. What no follow has is found by itself.
type following struct {
	*additive
	follows map[int]*follow // by the column that is set
	whole   bool            // distributions are asked for as well
	seen    map[doKey]*followed
}

// followed is what is found where the column that is set has one value, by the column that is looked at.
type followed struct {
	do, direct map[int][]float64
	dist       map[int]*dist
	failed     map[int]error
}

// at returns what follows where a is set to x; nil where nothing is asked about a.
func (m *following) at(a int, x float64) *followed {
	f := m.follows[a]
	key := doKey{a: a, x: x}
	if f == nil || m.seen[key] != nil {
		return m.seen[key]
	}
	out := &followed{do: map[int][]float64{}, direct: map[int][]float64{}, dist: map[int]*dist{}, failed: map[int]error{}}
	w, after := m.world(a, x)
	for _, b := range f.targets {
		y, err := m.outcome(w, after, b)
		if out.do[b] = y; err == nil && m.whole {
			out.dist[b], err = m.spread(w, after, b)
		}
		if err == nil && x == f.x0 {
			out.direct[b], err = m.along(w, after, a, b, f.x1)
		}
		if err != nil {
			out.failed[b] = err
		}
	}
	m.seen[key] = out
	return out
}

func (m *following) do(a, b int, x float64) ([]float64, error) {
	f := m.at(a, x)
	if f == nil || f.do[b] == nil && f.failed[b] == nil {
		return m.additive.do(a, b, x)
	}
	return f.do[b], f.failed[b]
}

func (m *following) distribution(a, b int, x float64) (*dist, error) {
	f := m.at(a, x)
	if f == nil || f.dist[b] == nil {
		return m.additive.distribution(a, b, x)
	}
	return f.dist[b], nil
}

func (m *following) direct(a, b int, x0, x1 float64) ([]float64, error) {
	f := m.at(a, x0)
	if f == nil || f.direct[b] == nil || x1 != m.follows[a].x1 {
		return m.additive.direct(a, b, x0, x1)
	}
	return f.direct[b], nil
}

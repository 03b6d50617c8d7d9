package independence

// Arranged returns t for columns in another order: column v is column place[v] of t.
func Arranged(t Test, place []int) Test { return &arranged{test: t, place: place} }

type arranged struct {
	test  Test
	place []int
	set   []int
	own   bool // the test belongs to one goroutine
}

func (a *arranged) Columns() int { return len(a.place) }

func (a *arranged) Worker() Test { return &arranged{test: WorkerOf(a.test), place: a.place, own: true} }

func (a *arranged) Independent(x, y int, given []int) (Result, error) {
	if !a.own {
		return a.Worker().Independent(x, y, given)
	}
	x, y, set, err := arguments(a.Columns(), x, y, given, &a.set)
	if err != nil {
		return Result{}, err
	}
	for i, v := range set {
		set[i] = a.place[v]
	}
	return a.test.Independent(a.place[x], a.place[y], set)
}

package order

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// batchSize is the number of variables that descend looks at together.
var batchSize = func() int {
	f, err := strconv.Atoi(os.Getenv("BATCH"))
	if err != nil {
		return 16
	}
	return f
}()

// parallel calls f for 0..n-1, each once, on all workers. f must not depend on which
// worker it gets, nor on the calls beside it.
func (e *engine) parallel(n int, f func(w *worker, i int)) {
	helpers := min(len(e.workers), n) - 1
	if helpers <= 0 {
		for i := range n {
			f(e.workers[0], i)
		}
		return
	}
	var next atomic.Int64
	work := func(w *worker) {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(w, i)
		}
	}
	var wg sync.WaitGroup
	for _, w := range e.workers[1 : 1+helpers] {
		wg.Go(func() { work(w) })
	}
	work(e.workers[0])
	wg.Wait()
}

package solve_test

import (
	"testing"

	"github.com/polydag/polydag/solve"
)

func TestFinished(t *testing.T) {
	for st, want := range map[solve.Status]bool{
		solve.Converged: true, solve.Completed: true, solve.StepLimit: false, solve.Canceled: false, solve.Failed: false, "": false,
	} {
		if st.Finished() != want {
			t.Errorf("%q finished: %v", st, !want)
		}
	}
}

package kit_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

// plain is a schedule that keeps every law: one weight, and a count that is saved.
type plain struct{ n int }

func (p *plain) Next(solve.Point) solve.Move {
	p.n++
	return solve.Move{ScoreWeight: 1, HWeight: 2 + float64(p.n)/100}
}
func (p *plain) AtLimit() solve.Status          { return solve.Completed }
func (p *plain) MarshalBinary() ([]byte, error) { return seal(uint64(p.n)), nil }
func (p *plain) UnmarshalBinary(b []byte) error {
	n, err := open(b)
	p.n = int(n)
	return err
}

// momentum is a descent that keeps every law: its memory is the sum of the gradients of the first entry.
type momentum struct {
	sum  float64
	rate float64
}

func (m *momentum) Step(w, grad *matrix.Dense[float64]) {
	m.rate = 0.05
	m.sum += math.Abs(grad.Data[1])
	m.move(w, grad)
}
func (m *momentum) move(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] -= m.rate / (1 + m.sum) * g
	}
}
func (m *momentum) Retry(w, grad *matrix.Dense[float64]) { m.rate /= 2; m.move(w, grad) }
func (m *momentum) Reset()                               { *m = momentum{} }
func (m *momentum) MarshalBinary() ([]byte, error)       { return seal(math.Float64bits(m.sum)), nil }
func (m *momentum) UnmarshalBinary(b []byte) error {
	n, err := open(b)
	m.sum = math.Float64frombits(n)
	return err
}

// seal and open are eight bytes and their complement.
func seal(v uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, v), ^v)
}

func open(b []byte) (uint64, error) {
	if len(b) != 16 || binary.LittleEndian.Uint64(b) != ^binary.LittleEndian.Uint64(b[8:]) {
		return 0, errDamaged
	}
	return binary.LittleEndian.Uint64(b), nil
}

var errDamaged = errors.New("damaged")

// bold is a searcher that keeps every law: it halves its step until the objective falls.
type bold struct{ o solve.Objective[float64] }

func (s *bold) Reset()                         {}
func (s *bold) Aim(o solve.Objective[float64]) { s.o = o }
func (s *bold) Step(w, grad *matrix.Dense[float64]) {
	next := w.Clone()
	for length := 1.0; length > 1e-6; length /= 2 {
		for i, g := range grad.Data {
			next.Data[i] = w.Data[i] - length*g
		}
		if f, err := s.o.Eval(nil, next); err == nil && f < s.o.Value {
			w.CopyFrom(next)
			return
		}
	}
}

// The controls: each breaks one law of a schedule or of a descent.
type (
	upwards   struct{ momentum }
	exploding struct{ momentum }
	keepsGrad struct {
		momentum
		grad *matrix.Dense[float64]
	}
	keepsW struct {
		momentum
		w *matrix.Dense[float64]
	}
	neverResets struct{ momentum }
	forgets     struct{ momentum }
	savesOnce   struct{ momentum }
	trusting    struct{ momentum }
	sameAgain   struct{ momentum }
	heedless    struct {
		bold
		n int
	}
	ignoresScore struct{ plain }
	notANumber   struct{ plain }
	atNoLimit    struct{ plain }
	losesCount   struct{ plain }
	takesAny     struct{ plain }
)

func (u *upwards) Step(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] += 1e-3 * g
	}
}
func (e *exploding) Step(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] -= 1e200 * g
	}
}
func (k *keepsGrad) Step(w, grad *matrix.Dense[float64]) {
	if k.grad != nil && k.grad.Data[1] != k.grad.Data[1] { // sees what was done to its old gradient
		return
	}
	k.grad = grad
	k.momentum.Step(w, grad)
}
func (k *keepsW) Step(w, grad *matrix.Dense[float64]) {
	if k.w != nil && k.w.Data[1] != k.w.Data[1] {
		return
	}
	k.w = w
	k.momentum.Step(w, grad)
}
func (k *keepsGrad) Reset()                       { *k = keepsGrad{} }
func (k *keepsW) Reset()                          { *k = keepsW{} }
func (n *neverResets) Reset()                     {}
func (f *forgets) MarshalBinary() ([]byte, error) { return seal(0), nil }
func (s *savesOnce) MarshalBinary() ([]byte, error) {
	b := seal(math.Float64bits(s.sum))
	s.sum = 0
	return b, nil
}
func (t *trusting) UnmarshalBinary(b []byte) error        { t.momentum.UnmarshalBinary(b); return nil }
func (s *sameAgain) Retry(w, grad *matrix.Dense[float64]) { s.move(w, grad) }
func (h *heedless) Reset()                                { h.n = 0 }
func (h *heedless) Step(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] -= 0.1 * g
	}
	if h.n++; h.n == 50 { // one step that goes up
		w.Data[1] += 3
	}
}
func (i *ignoresScore) Next(p solve.Point) solve.Move {
	return solve.Move{HWeight: 0}
}
func (n *notANumber) Next(p solve.Point) solve.Move {
	return solve.Move{ScoreWeight: 1, HWeight: math.NaN()}
}
func (a *atNoLimit) AtLimit() solve.Status           { return solve.Failed }
func (l *losesCount) UnmarshalBinary(b []byte) error { _, err := open(b); return err }
func (t *takesAny) UnmarshalBinary(b []byte) error {
	t.n = len(b)
	t.plain.UnmarshalBinary(b)
	return nil
}

func TestSolverCatches(t *testing.T) {
	type solver = func() (solve.Schedule, solve.Descent[float64])
	with := func(s func() solve.Schedule, d func() solve.Descent[float64]) solver {
		return func() (solve.Schedule, solve.Descent[float64]) { return s(), d() }
	}
	good := func() solve.Schedule { return &plain{} }
	goodDescent := func() solve.Descent[float64] { return &momentum{} }
	for name, s := range map[string]solver{
		"plain with momentum": with(good, goodDescent),
		"plain with a search": with(good, func() solve.Descent[float64] { return &bold{} }),
	} {
		if err := kit.Solver(s, 1); err != nil {
			t.Errorf("%s keeps every law, and the kit says: %v", name, err)
		}
	}

	shared := &momentum{}
	calls := 0.0
	for name, c := range map[string]struct {
		says string
		make solver
	}{
		"goes up":                        {"descends: score + h", with(good, func() solve.Descent[float64] { return &upwards{} })},
		"explodes":                       {"descends: step", with(good, func() solve.Descent[float64] { return &exploding{} })},
		"the score weighs nothing":       {"descends: score + h", with(func() solve.Schedule { return &ignoresScore{} }, goodDescent)},
		"a weight that is no number":     {"descends: step", with(func() solve.Schedule { return &notANumber{} }, goodDescent)},
		"shares its memory":              {"repeats:", with(good, func() solve.Descent[float64] { return shared })},
		"another one each time":          {"repeats:", with(good, func() solve.Descent[float64] { calls++; return &momentum{sum: calls} })},
		"keeps the gradient":             {"keeps nothing:", with(good, func() solve.Descent[float64] { return &keepsGrad{} })},
		"keeps w":                        {"keeps nothing:", with(good, func() solve.Descent[float64] { return &keepsW{} })},
		"Reset does nothing":             {"resets:", with(good, func() solve.Descent[float64] { return &neverResets{} })},
		"a state without the memory":     {"resumes: taken up", with(good, func() solve.Descent[float64] { return &forgets{} })},
		"saving changes it":              {"resumes: saving", with(good, func() solve.Descent[float64] { return &savesOnce{} })},
		"a schedule that loses count":    {"resumes: taken up", with(func() solve.Schedule { return &losesCount{} }, goodDescent)},
		"a descent that takes any state": {"refuses: ", with(good, func() solve.Descent[float64] { return &trusting{} })},
		"a schedule that takes any":      {"refuses: ", with(func() solve.Schedule { return &takesAny{} }, goodDescent)},
		"a status that is no limit":      {"at the limit:", with(func() solve.Schedule { return &atNoLimit{} }, goodDescent)},
		"Retry is as long as Step":       {"shortens:", with(good, func() solve.Descent[float64] { return &sameAgain{} })},
		"a search that does not look":    {"searches:", with(good, func() solve.Descent[float64] { return &heedless{} })},
	} {
		if err := kit.Solver(c.make, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the kit says %v, want %q", name, err, c.says)
		}
	}
}

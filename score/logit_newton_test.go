package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestNewtonOfSeparatedCounts fits parents that separate the child, or nearly do: a full Newton step from the frequencies of the child
// leads far beyond the maximum there. The fit converges, and the gradient of the penalized likelihood is 0.
func TestNewtonOfSeparatedCounts(t *testing.T) {
	type row struct {
		levels []int32
		cells  []uint32
	}
	for _, c := range []struct {
		name   string
		levels []int
		rows   []row
	}{
		{"one row of the second category", []int{2}, []row{{[]int32{0}, []uint32{1000, 0}}, {[]int32{1}, []uint32{0, 1}}}},
		{"the first of two parents", []int{2, 2}, []row{
			{[]int32{0, 0}, []uint32{2000, 1}}, {[]int32{0, 1}, []uint32{2000, 1}}, {[]int32{1, 0}, []uint32{0, 2}}, {[]int32{1, 1}, []uint32{0, 2}},
		}},
		{"the last of two parents", []int{2, 2}, []row{
			{[]int32{0, 0}, []uint32{2000, 1}}, {[]int32{1, 0}, []uint32{2000, 1}}, {[]int32{0, 1}, []uint32{0, 2}}, {[]int32{1, 1}, []uint32{0, 2}},
		}},
		{"two categories of three", []int{3}, []row{{[]int32{0}, []uint32{500, 0}}, {[]int32{1}, []uint32{0, 1}}, {[]int32{2}, []uint32{3, 4}}}},
	} {
		var f logit
		f.reset(2, c.levels)
		for _, r := range c.rows {
			f.add(r.levels, r.cells)
		}
		if !f.newton(exactFit) {
			t.Errorf("%s: Newton's method does not converge", c.name)
			continue
		}
		slope := make([]float64, len(f.by.theta))
		for i, theta := range f.by.theta {
			slope[i] = -newtonRidge * theta
		}
		l := 0.0
		for _, r := range c.rows {
			eta, used, at := f.by.theta[0], []int{0}, 1
			for i, level := range r.levels {
				if level > 0 {
					used = append(used, at+int(level)-1)
					eta += f.by.theta[at+int(level)-1]
				}
				at += c.levels[i] - 1
			}
			q, ones := 1/(1+math.Exp(-eta)), float64(r.cells[1])
			all := ones + float64(r.cells[0])
			for _, k := range used {
				slope[k] += ones - all*q
			}
			if ones > 0 {
				l += ones * math.Log(q)
			}
			if ones < all {
				l += (all - ones) * math.Log(1-q)
			}
		}
		for i, s := range slope {
			if math.Abs(s) > 1e-3 {
				t.Errorf("%s: the slope in parameter %d of %v is %v, want 0", c.name, i, f.by.theta, s)
			}
		}
		if got := f.likelihood(); !(math.Abs(got-l) <= 1e-6) {
			t.Errorf("%s: log-likelihood %v of the fitted counts, %v of the parameters", c.name, got, l)
		}
	}
}

// TestChangeOfACycle checks what a step of iterative proportional fitting changes: the sum of Pearson's statistic over the margin of one
// parent, with the frequencies of the child as the first fit.
func TestChangeOfACycle(t *testing.T) {
	for _, r := range []int{2, 3} {
		var f logit
		f.reset(r, []int{2, 3})
		margin := map[[2]int][]float64{} // by parent and category
		child, all := make([]float64, r), 0.0
		for c := range 6 {
			cells := make([]uint32, r)
			for y := range cells {
				cells[y] = uint32(1 + (3*c+2*y*y+c*y)%7)
				child[y] += float64(cells[y])
				all += float64(cells[y])
				for i, l := range []int{c % 2, c / 2} {
					if margin[[2]int{i, l}] == nil {
						margin[[2]int{i, l}] = make([]float64, r)
					}
					margin[[2]int{i, l}][y] += float64(cells[y])
				}
			}
			f.add([]int32{int32(c % 2), int32(c / 2)}, cells)
		}
		for i := range 2 {
			want := 0.0
			for at, seen := range margin {
				rows := 0.0
				for _, n := range seen {
					rows += n
				}
				for y, n := range seen {
					if fitted := rows * child[y] / all; at[0] == i {
						want += (n - fitted) * (n - fitted) / fitted
					}
				}
			}
			f.begin()
			got := 0.0
			if r == 2 {
				got = f.scalePairs(i)
			} else {
				got = f.scale(i)
			}
			must.Near(t, got, want, 1e-9, "%d categories, parent %d: the change", r, i)
		}
	}
}

// TestCubeAgainstList fits the same counts by the cube and by the list of configurations, some of which have no rows.
func TestCubeAgainstList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, levels := range [][]int{{2}, {2, 2}, {3, 2, 4}, {2, 4, 3, 2}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, {8, 8, 8}, {8, 8, 9}} {
		var cube, list logit
		cube.reset(2, levels)
		list.reset(2, levels)
		size, digits := 1, make([]int32, len(levels))
		for _, l := range levels {
			size *= l
		}
		if want := size <= mostCube; cube.cube != want {
			t.Fatalf("levels %v: cube %v, want %v", levels, cube.cube, want)
		}
		list.cube = false
		for c := range size {
			for i, l := range levels {
				digits[i] = int32(c % l)
				c /= l
			}
			cells := []uint32{uint32(rng.IntN(9)), uint32(rng.IntN(4))}
			if rng.IntN(4) == 0 {
				clear(cells)
			}
			cube.add(digits, cells)
			list.add(digits, cells)
		}
		if a, b := cube.newton(exactFit), list.newton(exactFit); a != b {
			t.Fatalf("levels %v: Newton's method converges %v and %v", levels, a, b)
		}
		for i, want := range list.by.theta {
			must.Near(t, cube.by.theta[i], want, 1e-9, "levels %v: parameter %d", levels, i)
		}
		for i, want := range list.fit {
			must.Near(t, cube.fit[i], want, 1e-9, "levels %v: fitted count %d", levels, i)
		}
	}
}

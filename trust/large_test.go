package trust

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Above 2000 columns only pairs are looked at, and a note says so.
func TestManyColumns(t *testing.T) {
	const d, n = 2001, 5000
	m := dataset.NewMoments(columnNames(d))
	m.N = n
	for j := range d {
		m.Scatter[j*d+j], m.Min[j], m.Max[j] = 2*n, -3, 4
	}
	m.Scatter[7*d+11], m.Scatter[11*d+7] = -2*n, -2*n
	p := Examine(m, nil)
	if p.Rank != 0 || p.Condition != nil || p.R2 != nil {
		t.Errorf("figures of what was not looked at: %+v", p)
	}
	if len(p.Findings) != 2 || p.Findings[0].Code != Duplicate || p.Findings[0].Sentence != "c11 = -c7 in every row" {
		t.Fatalf("found %+v", p.Findings)
	}
	if f := p.Findings[1]; f.Code != Unchecked || f.Severity != Note || !strings.Contains(f.Sentence, "the table has 2001") {
		t.Errorf("found %+v", f)
	}
}

// More relations than a person reads are counted.
func TestManyRelations(t *testing.T) {
	const d, n = 130, 5000
	m := dataset.NewMoments(columnNames(d))
	m.N = n
	for j := range d {
		m.Min[j], m.Max[j] = -3, 4
	}
	// Column 2k+1 is column 2k plus column 0, for every k above 0; all others are independent.
	loading := func(j int) map[int]float64 {
		if j > 1 && j%2 == 1 {
			return map[int]float64{j - 1: 1, 0: 1}
		}
		return map[int]float64{j: 1}
	}
	for i := range d {
		for j := range d {
			for k, v := range loading(i) {
				m.Scatter[i*d+j] += n * v * loading(j)[k]
			}
		}
	}
	p := Examine(m, nil)
	var found []Finding
	for _, f := range p.Findings {
		if f.Code == Collinear {
			found = append(found, f)
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0].Sentence, "64 linear relations, such as: c3 = c0 + c2 in every row; ") || len(found[0].Remedies[0].Columns) != 64 || p.Rank != d-64 {
		t.Errorf("rank %d, want %d; %+v", p.Rank, d-64, found)
	}
}

func TestWording(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{list([]string{"a"}, 3), "a"},
		{list([]string{"a", "b", "c"}, 3), "a, b and c"},
		{list([]string{"a", "b", "c", "d"}, 3), "a, b and 2 more"},
		{number(1234567, 6), "1234570"},
		{number(0.000123456, 3), "0.000123"},
		{number(1.5e-7, 3), "1.5e-07"},
		{number(-2.5, 3), "-2.5"},
		{percent(0.5), "50.0%"},
		{percent(0.99996), "99.996%"},
		{percent(0.00001), "0.001%"},
		{percent(1), "100.0%"},
		{percent(0), "0.0%"},
		{percent(2.5e-9), "2.5e-07%"},
		{percent(1 - 1e-5), "99.999%"},
		{number(9.99e8, 3), "999000000"},
		{number(1.25e9, 3), "1.25e+09"},
		{number(1e-4, 3), "0.0001"},
		{number(9e-5, 3), "9e-05"},
		{list(nil, 3), ""},
		{list([]string{"a", "b"}, 1), "a and 1 more"},
		{r2Text(1e-4), "0.9999"},
		{r2Text(9e-5), "0.999910"},
		{r2Text(1e-15), "1.000000000000"},
		{r2Text(0), "1.0000"},
		{r2Text(2.5e-3), "0.9975"},
		{r2Text(2.5e-6), "0.9999975"},
		{combination([]term{{-1, "a"}, {2.5, "b"}, {-3, "c"}}, -4, 4), "-a + 2.5·b - 3·c - 4"},
		{combination(nil, 0, 4), "0"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Columns of 0 and 1 that repeat a column of text are said to encode it; no formula has codes of categories in it, and categories
// have no mean.
func TestOneHotOfText(t *testing.T) {
	const n = 120
	names := []string{"department", "dept_hr", "dept_it", "dept_law", "pay"}
	x := matrix.New[float64](n, len(names))
	for i := range n {
		code := i * i % 7 % 3
		x.Set(i, 0, float64(code))
		x.Set(i, 1+code, 1)
		x.Set(i, 4, float64(i*37%101))
	}
	m := must.Get(dataset.MomentsOf(names, x, 1))
	p := &dataset.Profile{RowsRead: n, RowsUsed: n}
	for j, name := range names {
		c := dataset.ColumnProfile{Name: name, Kind: "integer", Distinct: 2, Min: m.Min[j], Max: m.Max[j], Mean: m.Mean[j], Std: m.Std()[j]}
		switch name {
		case "department":
			c.Kind, c.Distinct, c.Levels = "text", 3, []string{"hr", "it", "law"}
		case "pay":
			c.Distinct = 101
		}
		p.Columns = append(p.Columns, c)
	}
	got := ExamineRefusing(m, p, Refusals{Levels: true})
	found := 0
	for _, f := range got.Findings {
		switch f.Code {
		case Duplicate:
			found++
			if f.Sentence != "dept_* one-hot encodes department" || f.WayOut != "keep one of both: drop=dept_hr,dept_it,dept_law, or drop=department" {
				t.Errorf("%+v", f)
			}
		case Collinear, NearCollinear:
			t.Errorf("arithmetic on codes: %+v", f)
		}
	}
	if c := got.Columns[0]; found != 1 || c.Mean != 0 || c.Std != 0 || c.R2 != nil {
		t.Errorf("%d findings, %+v", found, c)
	}
}

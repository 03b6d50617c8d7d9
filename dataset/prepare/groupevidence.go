package prepare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	match "github.com/polydag/polydag/internal/names"
)

// best returns the candidate with the most evidence.
func (s *groupSearch) best() *Found {
	var best *Found
	var top *groupCandidate
	for _, c := range s.candidates {
		f := s.judge(c)
		if f == nil {
			continue
		}
		better := best == nil
		if !better {
			order := cmp.Or(cmp.Compare(b2i(f.Use), b2i(best.Use)), cmp.Compare(c.name, top.name), cmp.Compare(f.Groups, best.Groups))
			better = order > 0
		}
		if better {
			best, top = f, c
		}
	}
	return best
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judge returns what speaks for a candidate, or nil.
func (s *groupSearch) judge(c *groupCandidate) *Found {
	k, n := len(c.rows), s.rows
	repeated, squares := 0.0, 0.0
	for _, r := range c.rows {
		if squares += r * r; r > 1 {
			repeated += r
		}
	}
	if c.missed || k < leastGroups || 2*k > n || 2*int(repeated) < n {
		return nil
	}
	name := s.names[c.column]
	isNumber := !s.text[c.column]
	var constant []string
	alike, alikeName, others := 0.0, "", 0
	crossed := ""
	for j := range s.names {
		few := len(s.distinct[j])
		if j == c.column || few < 2 {
			continue
		}
		others++
		if !c.varies[j] {
			if few < k { // with as many values as groups it is another name of the group
				constant = append(constant, s.names[j])
			} else {
				others--
			}
			continue
		}
		if c.pairs[j] != nil && few >= leastGroups && 2*n >= k*few && isTime(s.names[j]) {
			crossed = s.names[j]
		}
		if s.text[j] {
			continue
		}
		rho, f := s.anova(c, j, isNumber && c.name < subjectName)
		far := 1 + farF*math.Sqrt(2/float64(max(1, k-2))+2/float64(max(1, n-k)))
		if rho >= leastAlike && f >= far && rho > alike {
			alike, alikeName = rho, s.names[j]
		}
	}
	p := &Found{Column: name, Groups: k, Rows: n}
	switch {
	case c.name == unitName && isNumber && k <= mostYears && squares*float64(k) > 1.2*float64(n)*float64(n): // years of school have sizes that differ
		return nil
	case c.name >= subjectName && (k >= leastOther || k*mostPerGroup >= n) || c.name == unitName && k >= leastOther && k*mostPerGroup >= n:
		p.Why, p.Use = "its name", s.whole(c.column)
	case crossed != "" && k >= leastCrossed && alike > 0:
		p.Why, p.Use = fmt.Sprintf("each group has each value of %s at most once", crossed), s.whole(c.column)
	case k >= leastOther && 3*len(constant) >= others && len(constant) > 0:
		p.Use = s.numbering(c) && (len(constant) > 1 || 2*len(constant) >= others)
	default:
		return nil
	}
	if len(constant) > 0 {
		p.Why = joinWhy(p.Why, fmt.Sprintf("%s constant within groups", match.List(constant, 3)+map[bool]string{true: " is", false: " are"}[len(constant) == 1]))
	}
	if alike > 0 {
		p.Why = joinWhy(p.Why, fmt.Sprintf("the intraclass correlation of %s is %.2f", alikeName, alike))
	}
	if alike == 0 && len(constant) == 0 {
		p.Use = false
	}
	return p
}

func joinWhy(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// whole reports whether a column is text or has only whole numbers.
func (s *groupSearch) whole(j int) bool {
	if s.text[j] {
		return true
	}
	for _, c := range s.p.Columns {
		if c.Name == s.names[j] {
			return c.Kind != dataset.Number.String()
		}
	}
	return false
}

// numbering reports whether a column is text or numbers its groups: whole numbers without large gaps, unlike most quantities.
func (s *groupSearch) numbering(c *groupCandidate) bool {
	return s.text[c.column] || s.whole(c.column) && slices.Max(c.label)-slices.Min(c.label) < 2*float64(len(c.label))
}

// anova returns the intraclass correlation of a column and the ratio F of the mean squares between and within groups. With detrend,
// the linear trend in the labels is removed first: years of school are a quantity that others depend on, and the order of identifiers
// means little.
func (s *groupSearch) anova(c *groupCandidate, j int, detrend bool) (rho, f float64) {
	d := len(s.names)
	total, sum, square := s.all[3*j], s.all[3*j+1], s.all[3*j+2]
	k, squares, between, label := 0.0, 0.0, 0.0, 0.0
	for g := range c.rows {
		if count, own := c.sums[3*d*g+3*j], c.sums[3*d*g+3*j+1]; count > 0 {
			k++
			squares += count * count
			between += own * own / count
			label += count * c.label[g]
		}
	}
	lost := 1.0
	if total <= k || k < 3 {
		return 0, 0
	}
	within := max(0, square-between) / (total - k)
	ss := max(0, between-sum*sum/total)
	if label /= total; detrend {
		cross, spread := 0.0, 0.0
		for g := range c.rows {
			l := c.label[g] - label
			cross += l * c.sums[3*d*g+3*j+1]
			spread += c.sums[3*d*g+3*j] * l * l
		}
		if spread > 0 {
			lost, ss = 2, max(0, ss-cross*cross/spread)
		}
	}
	between = ss / (k - lost)
	n0 := (total - squares/total) / (k - 1)
	if bottom := between + (n0-1)*within; bottom > 0 {
		rho = max(0, (between-within)/bottom)
	}
	return rho, between / max(within, math.SmallestNonzeroFloat64)
}

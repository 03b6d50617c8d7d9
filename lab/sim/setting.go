package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An InterventionKind is the effect of an intervention on its targets. Its text form is its name in lower case.
type InterventionKind int

const (
	// Hard removes every edge into a target. A number becomes InterventionMean plus its noise, and categories are equally likely.
	Hard InterventionKind = iota
	// Soft keeps the parents of a target and draws a new mechanism. A number without parents gets the mean Settings.InterventionMean.
	Soft
)

var interventionNames = []string{"hard", "soft"}

// InterventionNames lists the text forms.
func InterventionNames() []string { return slices.Clone(interventionNames) }

// String returns the text form.
func (k InterventionKind) String() string { return nameOf(k, "InterventionKind", interventionNames) }

// MarshalText implements encoding.TextMarshaler.
func (k InterventionKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *InterventionKind) UnmarshalText(text []byte) error {
	return parse(k, interventionNames, text, fmt.Errorf("intervention %q, want one of %v", text, interventionNames))
}

// A setting is a group of rows with the same mechanisms.
type setting struct {
	targets   []int // ascending
	equations map[int]equation
}

// checkSettings reports the errors in interventions and environments.
func (c Settings) checkSettings(fault func(ok bool, format string, args ...any)) {
	fault(c.Interventions >= 0, "Interventions = %d, want at least 0", c.Interventions)
	fault(known(c.Intervention, interventionNames), "Intervention = %v, want one of %v", c.Intervention, interventionNames)
	fault(c.InterventionSize >= 1 && c.InterventionSize <= max(1, c.Nodes), "InterventionSize = %d with %d nodes, want 1 to %d", c.InterventionSize, c.Nodes, c.Nodes)
	fault(finite(c.InterventionMean), "InterventionMean = %v, want a finite number", c.InterventionMean)
	fault(c.Observational >= 0 && c.Observational <= 1, "Observational = %v, want a share from 0 to 1", c.Observational)
	most := sets(c.Nodes, c.InterventionSize)
	fault(!(float64(c.Interventions) > most), "Interventions = %d, and there are only %.0f sets of %d of %d nodes", c.Interventions, most, c.InterventionSize, c.Nodes)
	fault(c.Environments >= 0, "Environments = %d, want at least 0", c.Environments)
	fault(c.EnvironmentChanges >= 0 && c.EnvironmentChanges <= max(0, c.Nodes), "EnvironmentChanges = %d with %d nodes, want 0 to %d", c.EnvironmentChanges, c.Nodes, c.Nodes)
	fault(c.Interventions <= 0 || c.Environments <= 0, "Interventions = %d and Environments = %d, want one of them 0: a row has one setting", c.Interventions, c.Environments)
	redrawn := c.Interventions > 0 && c.Intervention == Soft || c.Environments > 0
	fault(!redrawn || c.Design == Plain || c.Design == Hetero, "Design = %v with mechanisms that are drawn anew: their weights would not be laid out", c.Design)
}

// sets returns the binomial coefficient of d and k.
func sets(d, k int) float64 {
	n := 1.0
	for i := range k {
		n *= float64(d-i) / float64(i+1)
	}
	return math.Round(n)
}

// drawSettings draws distinct target sets and the mechanisms of the targets. The first setting has no targets.
func (m *Model) drawSettings() {
	m.settings = []setting{{}}
	rng := Stream(m.cfg.Seed, streamSettings)
	add := func(targets []int, hard bool) {
		s := setting{targets, map[int]equation{}}
		for _, v := range targets {
			if bare := len(m.parents[v]) == 0 && m.levels[v] == 0; hard || bare {
				s.equations[v] = forced{m.levels[v], m.cfg.InterventionMean, m.sd[v]}
			} else {
				s.equations[v] = m.equation(v, sub(m.cfg.Seed, uint64(len(m.settings))))
			}
		}
		m.settings = append(m.settings, s)
	}
	for range m.cfg.Environments - 1 {
		targets := rng.Perm(m.Dim())[:m.cfg.EnvironmentChanges]
		slices.Sort(targets)
		add(targets, false)
	}
	hard := m.cfg.Intervention == Hard
	if m.cfg.InterventionSize == 1 {
		for _, v := range rng.Perm(m.Dim())[:m.cfg.Interventions] {
			add([]int{v}, hard)
		}
		return
	}
	seen := map[string]bool{}
	for len(m.settings) <= m.cfg.Interventions {
		targets := rng.Perm(m.Dim())[:m.cfg.InterventionSize]
		slices.Sort(targets)
		if key := fmt.Sprint(targets); !seen[key] {
			seen[key] = true
			add(targets, hard)
		}
	}
}

// forced is the equation of a target of a hard intervention.
type forced struct {
	levels   int
	mean, sd float64
}

func (f forced) value(_ []float64, noise float64) float64 {
	if f.levels > 0 {
		return math.Floor(noise * float64(f.levels))
	}
	return f.mean + f.sd*noise
}

// Targets returns, for each setting, the nodes whose mechanism differs from the first setting.
func (m *Model) Targets() [][]int {
	out := make([][]int, len(m.settings))
	for s := range m.settings {
		out[s] = slices.Clone(m.settings[s].targets)
	}
	return out
}

// Label returns the name of the column that identifies the settings, and its values: target, with the target names separated by ;,
// empty for none; or environment, with 0, 1, …. It returns "" if there is one setting.
func (m *Model) Label() (name string, words []string) {
	switch {
	case m.cfg.Environments > 0:
		for s := range m.settings {
			words = append(words, strconv.Itoa(s))
		}
		return "environment", words
	case m.cfg.Interventions > 0:
		names := m.Names()
		for _, s := range m.settings {
			var targets []string
			for _, v := range s.targets {
				targets = append(targets, names[v])
			}
			words = append(words, strings.Join(targets, ";"))
		}
		return "target", words
	}
	return "", nil
}

// An assignment gives each of n rows a setting. Each setting has an exact number of rows, and all orders are equally likely: the
// next setting is drawn in proportion to its remaining rows.
type assignment struct {
	left  []int
	total int
	rng   *rand.Rand
}

// assign computes the number of rows of each setting: the share without an intervention, and the rest in equal parts, where the
// first get one more if needed. Environments have equal parts.
func (m *Model) assign(seed uint64, n int) *assignment {
	a := &assignment{left: make([]int, len(m.settings)), total: n, rng: Stream(seed, streamAssignment)}
	from, rest := 0, n
	if m.cfg.Interventions > 0 {
		from, a.left[0] = 1, int(math.Round(m.cfg.Observational*float64(n)))
		rest -= a.left[0]
	}
	parts := len(a.left) - from
	for s := range parts {
		a.left[from+s] = rest / parts
		if s < rest%parts {
			a.left[from+s]++
		}
	}
	return a
}

func (a *assignment) next() int {
	if len(a.left) == 1 {
		return 0
	}
	at, s := a.rng.IntN(a.total), 0
	for at >= a.left[s] {
		at -= a.left[s]
		s++
	}
	a.left[s]--
	a.total--
	return s
}

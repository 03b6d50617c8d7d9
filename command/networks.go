package command

import (
	"fmt"
	"io"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/score"
)

// networks are the formats with probabilities, which need the table. fit fits the model of the result that is converted.
func networks(fit func() (*learned, error)) []report.Format {
	write := func(*polydag.Result) func(io.Writer) error {
		return func(w io.Writer) error {
			l, err := fit()
			if err != nil {
				return err
			}
			n, err := l.bif()
			if err != nil {
				return err
			}
			return n.Write(w)
		}
	}
	return []report.Format{
		{Name: "bif", Extensions: []string{".bif"}, Description: "discrete network with probabilities: bnlearn, pgmpy, GeNIe; needs --data", Write: write},
	}
}

// mostConfigurations limits the rows of one probability table of a file.
const mostConfigurations = 1 << 20

// bif returns the model as a discrete network.
func (l *learned) bif() (*bif.Network, error) {
	if l.res.Model != score.TableEffects {
		return nil, fmt.Errorf("a %s model has no probability tables; learn with --model discrete, or convert to lavaan or dagitty", l.res.Model)
	}
	out := &bif.Network{Name: "polydag"}
	for v, name := range l.res.Names {
		own := bif.Variable{Name: name}
		for _, x := range l.net.Levels[v] {
			label := strconv.FormatFloat(x, 'g', -1, 64)
			if k := int(x); k >= 0 && k < len(l.words[v]) && float64(k) == x {
				label = l.words[v][k]
			}
			own.Levels = append(own.Levels, label)
		}
		own.Parents = append(own.Parents, l.res.Graph.Parents(v)...)
		count := 1
		for _, p := range own.Parents {
			if count *= len(l.net.Levels[p]); count > mostConfigurations {
				return nil, fmt.Errorf("%s has more than %d configurations of its parents; learn a sparser graph", name, mostConfigurations)
			}
		}
		values := make([]float64, len(own.Parents))
		for j := range count {
			for i, rest := len(values)-1, j; i >= 0; i-- {
				levels := l.net.Levels[own.Parents[i]]
				values[i] = levels[rest%len(levels)]
				rest /= len(levels)
			}
			own.Table = append(own.Table, l.net.F[v].At(values)...)
		}
		out.Variables = append(out.Variables, own)
	}
	return out, nil
}

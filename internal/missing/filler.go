package missing

import (
	"math/rand/v2"
)

// A Filler replaces missing values of rows by draws from a model. It holds buffers: use one per goroutine.
type Filler interface {
	// Fill replaces the missing values (NaN) of a row by a draw given the other values.
	Fill(row []float64, random *rand.Rand)
}

// Filler returns a filler that draws from the normal distribution.
func (g *Gaussian) Filler() Filler {
	d := len(g.order)
	return &gaussianFiller{g: g, row: make([]float64, d), normal: make([]float64, d), lacks: make([]int32, 0, d)}
}

type gaussianFiller struct {
	g           *Gaussian
	conditional conditional
	row, normal []float64
	lacks       []int32
}

func (f *gaussianFiller) Fill(row []float64, random *rand.Rand) {
	g, lacks := f.g, f.lacks[:0]
	for k, j := range g.order {
		if v := row[j]; v == v {
			f.row[k] = (v - g.columns[j].mean) / g.columns[j].std
			continue
		}
		f.row[k] = 0
		f.normal[len(lacks)] = random.NormFloat64()
		lacks = append(lacks, int32(k))
	}
	if len(lacks) == 0 {
		return
	}
	f.conditional.set(lacks, g.inverse, len(row))
	f.conditional.fill(f.row, g.mu, g.inverse, f.normal[:len(lacks)])
	for _, k := range lacks {
		j := g.order[k]
		row[j] = g.columns[j].mean + f.row[k]*g.columns[j].std
	}
}

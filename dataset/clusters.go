package dataset

import (
	"fmt"
	"math"
)

// Clusters describes how clustered rows, such as several pictures of one person, are counted. Rows of one
// cluster carry less information than independent rows, depending on the intraclass correlation ρ of the
// columns. With the mean cluster size of a row, s = Σ n_c² / n, the variance of an estimated relation of two
// columns is 1 + (s - 1)·ρ₁·ρ₂ times that of independent rows (Kish 1965, "Survey Sampling", for one column;
// Scott and Holt 1982, "The effect of two-stage sampling on ordinary least squares methods", for two). The two
// columns with the largest ρ are used for all pairs, which is conservative:
//
//	EffectiveRows = Rows / (1 + (s - 1)·ρ₁·ρ₂)
type Clusters struct {
	Column string `json:"column"` // column whose values identify clusters
	Rows   int    `json:"rows"`
	// Count is the number of clusters. If Part is less than 1, Count is an estimate and all figures come from that part of the
	// clusters.
	Count int     `json:"count"`
	Part  float64 `json:"part"`
	// Size is s.
	Size float64 `json:"size"`
	// Alike are the two columns with the largest intraclass correlations ρ.
	Alike []Alike `json:"alike,omitempty"`
	// DesignEffect is 1 + (s - 1)·ρ₁·ρ₂, and EffectiveRows is Rows / DesignEffect.
	DesignEffect  float64 `json:"design_effect"`
	EffectiveRows int     `json:"effective_rows"`
}

// Alike is a column with its intraclass correlation: the share of its variance between clusters.
type Alike struct {
	Column string  `json:"column"`
	Rho    float64 `json:"rho"`
}

// Judge computes DesignEffect and EffectiveRows from the other fields.
func (c *Clusters) Judge() {
	c.DesignEffect = 1
	if len(c.Alike) == 2 {
		c.DesignEffect = max(1, 1+(c.Size-1)*c.Alike[0].Rho*c.Alike[1].Rho)
	}
	c.EffectiveRows = min(c.Rows, max(1, int(math.Round(float64(c.Rows)/c.DesignEffect))))
}

// Sentence describes what was counted and why.
func (c *Clusters) Sentence() string {
	about := ""
	if c.Part < 1 {
		about = "about "
	}
	head := fmt.Sprintf("Rows with the same value of %s are treated as one group: %d rows in %s%d groups count as %d independent rows", c.Column, c.Rows, about, c.Count, c.EffectiveRows)
	switch {
	case c.Size == 1:
		return head + ", since every row is a group of its own."
	case len(c.Alike) < 2:
		return head + "."
	}
	return head + fmt.Sprintf(" (design effect %.3g: mean group size of a row %.3g; largest intraclass correlations: %s %.2f, %s %.2f).",
		c.DesignEffect, c.Size, c.Alike[0].Column, c.Alike[0].Rho, c.Alike[1].Column, c.Alike[1].Rho)
}

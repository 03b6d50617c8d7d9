package dataset

import (
	"fmt"
	"math"
	"strings"
)

// Groups describes how grouped rows, such as several pictures of one person, are counted. Rows of one
// group carry less information than independent rows, depending on the intraclass correlation ρ of the
// columns. With the mean group size of a row, s = Σ n_c² / n, the variance of an estimated relation of two
// columns is 1 + (s - 1)·ρ₁·ρ₂ times that of independent rows (Kish 1965, "Survey Sampling", for one column;
// Scott and Holt 1982, "The effect of two-stage sampling on ordinary least squares methods", for two). The two
// columns with the largest ρ are used for all pairs, which is conservative:
//
//	EffectiveRows = Rows / (1 + (s - 1)·ρ₁·ρ₂)
type Groups struct {
	Column string `json:"column"` // column whose values identify groups
	Rows   int    `json:"rows"`
	// Count is the number of groups. If Part is less than 1, Count is an estimate and all figures come from that part of the
	// groups.
	Count int     `json:"count"`
	Part  float64 `json:"part"`
	// Size is s.
	Size float64 `json:"size"`
	// Alike are the two columns with the largest intraclass correlations ρ.
	Alike []Alike `json:"alike,omitempty"`
	// DesignEffect is 1 + (s - 1)·ρ₁·ρ₂, and EffectiveRows is Rows / DesignEffect.
	DesignEffect  float64 `json:"design_effect"`
	EffectiveRows int     `json:"effective_rows"`
	// Dependent are the columns that vary within groups and whose rows are alike there, with ρ of at least 0.05, largest first: an edge
	// between two of them may come from a common cause of the groups. Centred columns are not among them.
	Dependent []Alike `json:"dependent,omitempty"`
	// Centred is the number of columns that were centred within groups: their values are differences to the mean of the group. The
	// means take a degree of freedom per group, so EffectiveRows is at most Rows - Count. Uncentred are the columns of categories,
	// which stay as they are; Alike, DesignEffect and EffectiveRows count how alike their rows are. If no column varies within
	// groups, or few do, Centred is 0 and all columns stay as they are.
	Centred   int      `json:"centred,omitempty"`
	Uncentred []string `json:"uncentred,omitempty"`
}

// Alike is a column with its intraclass correlation: the share of its variance between groups.
type Alike struct {
	Column string  `json:"column"`
	Rho    float64 `json:"rho"`
}

// Judge computes DesignEffect and EffectiveRows from the other fields.
func (c *Groups) Judge() {
	c.DesignEffect = 1
	if len(c.Alike) == 2 {
		c.DesignEffect = max(1, 1+(c.Size-1)*c.Alike[0].Rho*c.Alike[1].Rho)
	}
	c.EffectiveRows = min(c.Rows, max(1, int(math.Round(float64(c.Rows)/c.DesignEffect))))
}

// Sentence describes what was counted and why.
func (c *Groups) Sentence() string {
	about := ""
	if c.Part < 1 {
		about = "about "
	}
	if c.Centred > 0 {
		text := fmt.Sprintf("Rows with the same value of %s form a group (%d groups). %s centred within groups, so differences between groups make no edges; %d rows count as %d", c.Column, c.Count, columns(c.Centred), c.Rows, c.EffectiveRows)
		if len(c.Uncentred) == 0 {
			return text + "."
		}
		return text + fmt.Sprintf(". Columns of categories are not centred (%s): for them, only the number of rows is corrected (design effect %.3g).", strings.Join(c.Uncentred[:min(len(c.Uncentred), 4)], ", ")+etc(len(c.Uncentred) > 4), c.DesignEffect)
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

func columns(n int) string {
	if n == 1 {
		return "1 numeric column was"
	}
	return fmt.Sprintf("%d numeric columns were", n)
}

func etc(more bool) string {
	if more {
		return ", …"
	}
	return ""
}

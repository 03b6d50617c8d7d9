package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/score"
)

const (
	// gearyNormal is E|x|/σ of a Gaussian variable, √(2/π): Geary (1935), "The ratio of the mean deviation to the standard
	// deviation as a test of normality". Outliers change it much less than a fourth moment, so it describes most of the rows.
	gearyNormal = 0.7978845608
	// gearyLimit is the largest deviation of the ratio of a residual. Student's t deviates by 0.025 with 10 degrees of freedom, by
	// 0.063 with 5 and by 0.16 with 3, a Laplace variable by 0.09, and a uniform variable by 0.068 in the other direction.
	gearyLimit = 0.05
	// gearyError divided by √n is the standard error of the ratio, √(1 - 3/π).
	gearyError = 0.2123
	// residualSkew is the skewness from which a distribution is called highly skewed: Bulmer (1979), "Principles of Statistics". An
	// exponential variable has 2.
	residualSkew = 1
)

// gaussian tests for noise that is far from Gaussian. Under the model every column and every residual is Gaussian. It uses columns
// with two or few values and the shape of columns from the profile of all rows, and the shape of residuals from the sample.
func (j *judging) gaussian() Assumption {
	var binary, few []string
	skew, heavy, light := &shapeList{}, &shapeList{}, &shapeList{}
	worstSkew, low, high := 0.0, gearyNormal, gearyNormal
	for v, name := range j.Moments.Names {
		c := j.profile[name]
		if j.model.levels(v) || j.model.input(v) {
			continue
		}
		flexible := j.model.Effects == score.FlexibleEffects // the model treats such columns by their kind
		if j.two[v] && !flexible {
			binary = append(binary, name)
			continue
		}
		if c != nil && !flexible && c.Distinct <= fewLevels && j.Moments.N > 2*fewLevels {
			few = append(few, name)
			continue
		}
		if c != nil && j.asRead(v) && j.model.straight() && j.Environments == nil { // under other models, and with several environments, only the noise is Gaussian
			if math.Abs(c.Skewness) > skewLimit {
				skew.add(name, c.Skewness)
			}
			if c.Kurtosis > tailLimit {
				heavy.add(name, c.Kurtosis)
			}
		}
		if j.res == nil {
			continue
		}
		r := j.res.r.Row(v)
		s, kurtosis, ratio, ok := shape(r, j.res.counted(v))
		if !ok {
			continue
		}
		worstSkew, low, high = max(worstSkew, math.Abs(s)), min(low, ratio), max(high, ratio)
		bound, root := chance(2*len(j.two)), math.Sqrt(j.worth(j.res.counted(v)))
		limit := max(gearyLimit, bound*gearyError/root)
		switch {
		case ratio < gearyNormal-limit:
			heavy.add(name, kurtosis)
		case ratio > gearyNormal+limit:
			light.add(name, ratio)
		}
		if math.Abs(s) > max(residualSkew, bound*math.Sqrt(6)/root) {
			skew.add(name, s)
		}
	}
	var against []Finding
	add := func(code string, columns []string, sentence string, way fault.Way) {
		if len(columns) > 0 {
			against = append(against, newFinding(code, Warning, columns, sentence, way))
		}
	}
	add(Binary, binary, fmt.Sprintf("%s %s only two distinct values (%s)", plural(len(binary), "column"), has(len(binary)), list(binary, 4)), unidentified())
	add(FewLevels, few, fmt.Sprintf("%s %s at most %d distinct values (%s)", plural(len(few), "column"), has(len(few)), fewLevels, list(few, 4)), unidentified())
	tails, skewed := fault.Out("%s uses ranks", byRanks), fault.Out("%s for positive columns, or %s to use ranks", fault.Use("log"), byRanks)
	if j.model.NormalScores || j.model.Effects == score.FlexibleEffects {
		tails = unidentified()
		skewed = tails
	}
	add(HeavyTails, heavy.names, "heavy tails, excess kurtosis of residuals (Gaussian: 0): "+heavy.text(), tails)
	add(LightTails, light.names, "light tails, mean absolute residual in standard deviations (Gaussian: 0.80): "+light.text(), tails)
	add(Skewed, skew.names, "skewness of residuals (Gaussian: 0): "+skew.text(), skewed)
	otherwise := ""
	if j.res != nil {
		otherwise = fmt.Sprintf("no column has few distinct values; the residuals have a skewness of at most %.2f and a mean absolute size of %.2f to %.2f standard deviations (Gaussian: 0.80); %s", worstSkew, low, high, j.looked())
	}
	statement := "the noise is Gaussian"
	switch j.model.Effects {
	case score.FlexibleEffects:
		statement = "the noise of numeric columns is Gaussian after the transformation of each column"
	case score.MixedEffects:
		statement = "the noise of numeric columns is Gaussian"
	}
	return newAssumption(GaussianNoise, statement, against, j.why, otherwise)
}

// asRead is examination.asRead for column v, which has a profile.
func (j *judging) asRead(v int) bool {
	e := examination{m: j.Moments, dropped: j.Profile.RowsRead - j.Profile.RowsUsed, column: make([]*Column, v+1)}
	e.column[v] = &Column{ColumnProfile: *j.profile[j.Moments.Names[v]]}
	return e.asRead(v)
}

// shape returns skewness, excess kurtosis and Geary's ratio of the given number of rows of x, which have mean 0 and a sum of
// squares of 1; the other rows are 0. ok is false if all values are 0.
func shape(x []float64, rows int) (skewness, kurtosis, geary float64, ok bool) {
	if vec.Dot(x, x) == 0 {
		return 0, 0, 0, false
	}
	n := float64(rows)
	var size, cubes, fourths float64
	for _, v := range x {
		size += math.Abs(v)
		cubes += v * v * v
		fourths += v * v * v * v
	}
	return cubes * math.Sqrt(n), fourths*n - 3, size / math.Sqrt(n), true
}

// shapeList collects columns with a figure each. A column counts only once, with its first figure.
type shapeList struct {
	names  []string
	figure []float64
}

func (l *shapeList) add(name string, figure float64) {
	if k := len(l.names); k > 0 && l.names[k-1] == name {
		return
	}
	l.names, l.figure = append(l.names, name), append(l.figure, figure)
}

func (l *shapeList) text() string {
	return ranked(l.names, l.figure, func(v float64) string { return number(v, 3) })
}

// steadyLimit is the smallest correlation of the size of a residual with the size of a parent that counts. It is about 0.3 if the
// standard deviation of the noise doubles from the mean of a Gaussian parent to two standard deviations.
const steadyLimit = 0.15

// steady tests for noise that depends on the causes. Directions from non-Gaussian noise assume that it does not. effects tests the
// mean of a residual against curves of the parents. Here the size of the residual, |r|, is compared with each parent and with its
// size, |z|; the tails of sizes are clipped. A reversed edge or a hidden common cause may also fail this test.
func (j *judging) steady() Assumption {
	const statement = "the noise does not depend on the parents"
	if j.res == nil {
		return newAssumption(SteadyNoise, statement, nil, j.why, "")
	}
	m := j.res.r.Cols
	size := func(to, x []float64, scale float64) {
		for i, v := range x {
			to[i] = min(math.Abs(v)*scale, clip)
		}
		unit(to)
	}
	r, z := make([]float64, m), make([]float64, m)
	limit := max(steadyLimit, chance(2*j.model.Graph.NumEdges())/math.Sqrt(j.worth(m)))
	var said, columns []string
	var figure []float64
	most := 0.0
	for v, name := range j.Moments.Names {
		parents := j.model.Graph.Parents(v)
		if len(parents) == 0 || j.model.levels(v) {
			continue
		}
		size(r, j.res.r.Row(v), math.Sqrt(float64(m)))
		for _, p := range parents {
			size(z, j.res.z.Row(p), 1)
			bySize := vec.Dot(r, z)
			copy(z, j.res.z.Row(p))
			unit(z)
			byValue := vec.Dot(r, z)
			c, with := bySize, "the size of "+j.Moments.Names[p]
			if math.Abs(byValue) > math.Abs(bySize) {
				c, with = byValue, j.Moments.Names[p]
			}
			if most = max(most, math.Abs(c)); math.Abs(c) <= limit {
				continue
			}
			said, figure = append(said, fmt.Sprintf("that of %s with %s", name, with)), append(figure, c)
			columns = append(columns, name, j.Moments.Names[p])
		}
	}
	var against []Finding
	if len(said) > 0 {
		way := fault.Out("%s often stabilizes the variance of positive columns; %s does not use the noise to identify directions", fault.Use("log"), fault.Set("noise", "gaussian"))
		text := "the absolute residuals correlate with parents: " + ranked(said, figure, func(v float64) string { return fmt.Sprintf("%.2f", v) })
		against = []Finding{newFinding(NoiseVaries, Warning, columns, text, way)}
	}
	return newAssumption(SteadyNoise, statement, against, "", fmt.Sprintf("the absolute residuals correlate with parents by at most %.2f; %s", most, j.looked()))
}

// varianceRatio is the ratio of the largest to the smallest residual variance from which equal variances are rejected.
const varianceRatio = 1.5

// equalVariances compares the residual variances in the units for which the model assumes them equal. The logarithm of an estimated
// variance has a standard error of √(2/n). Standardized columns have no common unit, so that equal noise variances would be an
// unlikely assumption about shares of noise.
func (j *judging) equalVariances() Assumption {
	const statement = "the noise variances are equal"
	std := j.Moments.Std()
	scaled := true
	tol := unitTol + 1/float64(j.Moments.N)
	variances := make([]float64, len(std))
	for v, name := range j.Moments.Names {
		scaled = scaled && math.Abs(std[v]-1) < tol
		_, _, left, err := regress(j.Moments, v, j.model.Graph.Parents(v))
		if err != nil {
			return newAssumption(EqualVariances, statement, nil, fmt.Sprintf("the residual of %s cannot be computed: %v", name, err), "")
		}
		if !j.model.Standardized {
			left *= std[v] * std[v]
		}
		variances[v] = left
	}
	extremes := spread(j.Moments.Names, variances)
	low, high := extremes.Low, extremes.High
	var against []Finding
	if scaled || j.model.Standardized {
		against = append(against, Finding{Code: Standardized, Severity: Warning,
			Sentence: "the columns are standardized, so equal noise variances are not plausible",
			WayOut:   unequal.String() + "; or give all columns in one common unit", Remedies: []fault.Remedy{unequal}})
	}
	ratio := math.Inf(1)
	if low.Value > 0 {
		ratio = high.Value / low.Value
	}
	by := 2 * chance(len(j.two)) * math.Sqrt(2/j.worth(j.Moments.N))
	figures := fmt.Sprintf("residual variances range from %s (%s) to %s (%s)", number(low.Value, 3), low.Column, number(high.Value, 3), high.Column)
	if math.Log(ratio) > max(math.Log(varianceRatio), by) {
		against = append(against, Finding{Code: UnequalVariances, Severity: Warning,
			Sentence: figures + ", significantly different", WayOut: unequal.String(), Remedies: []fault.Remedy{unequal}})
	}
	return newAssumption(EqualVariances, statement, against, "", figures+", not significantly different")
}

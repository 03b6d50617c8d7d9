package series

import (
	"context"
	"math"
	"math/cmplx"
)

// The ways in which a series is not stationary.
const (
	Trend            = "trend"
	UnitRoot         = "unit_root"
	LevelShift       = "level_shift"
	ChangingVariance = "changing_variance"
	Seasonality      = "seasonality"
)

// A Violation is a column that is not stationary. Value is the share of the variance that a trend or a season explains, the correlation
// of neighbouring values at a unit root, the largest difference of the means of thirds in standard deviations, or the ratio of the
// variances of thirds. Period is the length of a season in steps.
type Violation struct {
	Column int
	Code   string
	Value  float64
	Period int
}

const (
	// LeastPoints is the length of a segment from which stationarity is checked, and mostPoints the number of points that are used.
	LeastPoints = 50
	mostPoints  = 5000
	// mostWave is the number of points of the search for seasons, a power of 2.
	mostWave = 2048
	// An effect must be large besides being beyond chance: share of the variance, standard deviations, ratio of variances.
	leastShare, leastShift, leastRatio = 0.1, 1.0, 2.5
	// chanceErrors is the number of standard errors beyond chance. dickeyFuller and dickeyFullerTrend are critical values at 5 %
	// (MacKinnon 1991) of the test of a unit root, and nearOne is the correlation of neighbouring values from which it counts.
	chanceErrors                             = 5.0
	dickeyFuller, dickeyFullerTrend, nearOne = -2.86, -3.41, 0.9
	// waveLevel is the p-value of Fisher's test of a season.
	waveLevel = 1e-4
)

// Check looks for columns that are not stationary in the longest segment, after the adjustments of f. It returns the number of points
// that it used; below LeastPoints nothing was checked.
func (w *Walker) Check(ctx context.Context, f *Fitted, skip []bool) (found []Violation, points int, err error) {
	var now, best []float64
	d := len(skip)
	before := make([]float64, d)
	err = w.Walk(ctx, func(at Point, row []float64) error {
		f.apply(at, row)
		if at.New {
			if len(now) > len(best) {
				best, now = now, best
			}
			now = now[:0]
		}
		if f.Difference {
			for j, x := range row {
				row[j], before[j] = x-before[j], x
			}
			if at.New {
				return nil
			}
		}
		if len(now) < d*mostPoints {
			now = append(now, row...)
		}
		return nil
	})
	if len(now) > len(best) {
		best = now
	}
	if points = len(best) / max(d, 1); err != nil {
		return nil, points, err
	}
	for j := range d {
		var y []float64
		for at := j; at < len(best); at += d {
			if x := best[at]; x == x {
				y = append(y, x)
			}
		}
		if !skip[j] && len(y) >= LeastPoints {
			for _, v := range examine(y) {
				v.Column = j
				found = append(found, v)
			}
		}
	}
	return found, points, nil
}

// examine checks one series, which it changes.
func examine(y []float64) (found []Violation) {
	n, size := float64(len(y)), dot(y, y)
	total := centre(y)
	if !(total > 1e-24*size) { // a constant, except for rounding errors
		return nil
	}
	// Trend by least squares, with the standard error of noise whose neighbouring values correlate.
	middle, spread, slope := (n-1)/2, n*(n*n-1)/12, 0.0
	for t, x := range y {
		slope += x * (float64(t) - middle) / spread
	}
	share := slope * slope * spread / total
	level := make([]float64, len(y))
	copy(level, y)
	for t := range y {
		y[t] -= slope * (float64(t) - middle)
	}
	left := total * (1 - share)
	rho := correlation(y)
	stretch := math.Sqrt((1 + min(rho, 0.99)) / max(1-rho, 0.01))
	trend := share > leastShare && math.Abs(slope) > chanceErrors*math.Sqrt(left/n/spread)*stretch
	root, critical := level, dickeyFuller
	if trend {
		found = append(found, Violation{Code: Trend, Value: share})
		root, critical = y, dickeyFullerTrend
	}
	if phi := correlation(root); phi > nearOne && dickey(root) > critical {
		return append(found, Violation{Code: UnitRoot, Value: phi}) // the other figures mean little then
	}
	noise := make([]float64, 0, len(y)) // without trend and autocorrelation
	for t := 1; t < len(y); t++ {
		noise = append(noise, y[t]-rho*y[t-1])
	}
	sd := math.Sqrt(left / n)
	third := len(y) / 3
	var means, logs [3]float64
	kurtosis := 0.0
	for _, x := range noise {
		kurtosis += x * x * x * x
	}
	variance := dot(noise, noise) / float64(len(noise))
	kurtosis /= float64(len(noise)) * variance * variance
	for k := range 3 {
		for _, x := range y[k*third : (k+1)*third] {
			means[k] += x / float64(third)
		}
		part := noise[k*third : min((k+1)*third, len(noise))]
		logs[k] = math.Log(dot(part, part) / float64(len(part)))
	}
	width := func(x [3]float64) float64 { return max(x[0], x[1], x[2]) - min(x[0], x[1], x[2]) }
	m := float64(third)
	if shift := width(means) / sd; !trend && shift > leastShift && shift > chanceErrors*math.Sqrt(2/m)*stretch {
		found = append(found, Violation{Code: LevelShift, Value: shift})
	}
	if ratio := width(logs); ratio > math.Log(leastRatio) && ratio > chanceErrors*math.Sqrt(2*max(kurtosis-1, 1)/m) {
		found = append(found, Violation{Code: ChangingVariance, Value: math.Exp(ratio)})
	}
	if share, period, ok := season(noise); ok {
		found = append(found, Violation{Code: Seasonality, Value: share, Period: period})
	}
	return found
}

// season looks for one frequency that explains more of a series than noise does, by Fisher's test (1929).
func season(x []float64) (share float64, period int, ok bool) {
	size := 1
	for 2*size <= min(len(x), mostWave) {
		size *= 2
	}
	wave := make([]complex128, size)
	for t := range wave {
		wave[t] = complex(x[len(x)-size+t], 0)
	}
	transform(wave)
	sum, most, at := 0.0, 0.0, 0
	half := size / 2
	power := make([]float64, half)
	for k := 1; k < half; k++ {
		power[k] = real(wave[k])*real(wave[k]) + imag(wave[k])*imag(wave[k])
		sum += power[k]
		if power[k] > most {
			most, at = power[k], k
		}
	}
	if at < 3 || !(sum > 0) { // fewer than three periods are no season
		return 0, 0, false
	}
	g := most / sum
	p := float64(half-1) * math.Pow(1-g, float64(half-2))
	// A frequency between two of the transform shares its power with its neighbour, and the period follows from both.
	near := at + 1
	if at+1 >= half || power[at-1] > power[at+1] {
		near = at - 1
	}
	weight := power[at] + power[near]
	frequency := (float64(at)*power[at] + float64(near)*power[near]) / weight
	period = int(math.Round(float64(size) / frequency))
	return weight / sum, period, p < waveLevel && weight/sum > leastShare
}

// transform is the discrete Fourier transform of a power of 2 of values, in place (Cooley and Tukey 1965).
func transform(x []complex128) {
	n := len(x)
	if n < 2 {
		return
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range even {
		even[i], odd[i] = x[2*i], x[2*i+1]
	}
	transform(even)
	transform(odd)
	for k := range even {
		turn := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n)) * odd[k]
		x[k], x[k+n/2] = even[k]+turn, even[k]-turn
	}
}

// dickey is the t-statistic of the augmented Dickey-Fuller test with one lagged change: the change regressed on the last value and the
// last change.
func dickey(y []float64) float64 {
	var uu, uv, vv, uz, vz, zz, n float64
	for t := 2; t < len(y); t++ {
		z, u, v := y[t]-y[t-1], y[t-1], y[t-1]-y[t-2]
		uu, uv, vv = uu+u*u, uv+u*v, vv+v*v
		uz, vz, zz = uz+u*z, vz+v*z, zz+z*z
		n++
	}
	det := uu*vv - uv*uv
	if !(det > 0) {
		return 0
	}
	a, b := (vv*uz-uv*vz)/det, (uu*vz-uv*uz)/det
	left := max(zz-a*uz-b*vz, 1e-300) / (n - 3)
	return a / math.Sqrt(left*vv/det)
}

// centre subtracts the mean and returns the sum of squares.
func centre(y []float64) float64 {
	mean := 0.0
	for _, x := range y {
		mean += x / float64(len(y))
	}
	for t := range y {
		y[t] -= mean
	}
	return dot(y, y)
}

// correlation is that of neighbouring values of a series with mean 0.
func correlation(y []float64) float64 { return dot(y[1:], y[:len(y)-1]) / max(dot(y, y), 1e-300) }

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

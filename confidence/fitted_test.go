package confidence_test

import "math"

// fitted fits the three parameters of a calibration curve (calibration.go) to pairs of simulated tables. It is
// logistic regression, by Newton's method, of adjacency on the logit of its frequency, and of the direction on
// the logit of its frequency.
type fitted struct{ adjacency, direction []judged }

// judged is a logit and whether it came true.
type judged struct {
	x     float64
	right bool
}

// add adds two columns: their frequencies of adjacency and of the first direction over the replicates, and the
// truth.
func (f *fitted) add(adjacency, share, replicates float64, forward, back bool) {
	logit := func(p float64) float64 { return math.Log((p*replicates + 0.5) / ((1-p)*replicates + 0.5)) }
	f.adjacency = append(f.adjacency, judged{logit(adjacency), forward || back})
	if forward || back {
		f.direction = append(f.direction, judged{logit(share), forward}, judged{logit(1 - share), back})
	}
}

// numbers are the shift and the slope of adjacencies, and the slope of directions.
func (f *fitted) numbers() (shift, slope, direction float64) {
	shift, slope = logistic(f.adjacency)
	_, direction = logistic(f.direction)
	return shift, slope, direction
}

func logistic(list []judged) (a, b float64) {
	for range 50 {
		var ga, gb, haa, hab, hbb float64
		for _, j := range list {
			p := 1 / (1 + math.Exp(-a-b*j.x))
			miss, w := -p, p*(1-p)
			if j.right {
				miss++
			}
			ga, gb = ga+miss, gb+miss*j.x
			haa, hab, hbb = haa+w, hab+w*j.x, hbb+w*j.x*j.x
		}
		det := haa*hbb - hab*hab
		if !(det > 0) {
			return a, b
		}
		a, b = a+(hbb*ga-hab*gb)/det, b+(haa*gb-hab*ga)/det
	}
	return a, b
}

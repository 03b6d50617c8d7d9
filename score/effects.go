package score

// Effects is how a column depends on its parents under a model, and with it which score judges them.
type Effects string

// The models of effects.
const (
	LinearEffects Effects = "linear"   // sums of straight lines with Gaussian noise
	SmoothEffects Effects = "smooth"   // sums of smooth curves with Gaussian noise: Smooth
	TableEffects  Effects = "discrete" // a distribution for each configuration of the parents: Discrete
	MixedEffects  Effects = "mixed"    // straight lines of numbers and shifts of levels: Mixed
)

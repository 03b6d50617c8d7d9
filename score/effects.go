package score

// Effects is the model of how a column depends on its parents.
type Effects string

const (
	LinearEffects Effects = "linear"   // linear effects with Gaussian noise
	SmoothEffects Effects = "smooth"   // sums of smooth functions with Gaussian noise: Smooth
	TableEffects  Effects = "discrete" // a distribution for each configuration of the parents: Discrete
	MixedEffects  Effects = "mixed"    // linear effects of numbers and shifts by categories: Mixed
	// FlexibleEffects are curves between continuous columns, and linear effects and shifts by categories otherwise, of columns on
	// scales of their own: Flexible.
	FlexibleEffects Effects = "flexible"
)

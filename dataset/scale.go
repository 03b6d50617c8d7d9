package dataset

// A Scale is the monotone transformation of a numeric column on which a model describes it.
type Scale string

// The scales.
const (
	RawScale   Scale = ""              // the values themselves
	LogScale   Scale = "log"           // natural logarithms
	ScoreScale Scale = "normal scores" // Φ⁻¹ of the ranks, between 0 and 1
)

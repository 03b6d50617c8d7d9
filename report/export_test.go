package report

// The writers that the tests call by name.
var (
	DOT             = dot
	Mermaid         = mermaid
	GaussianNetwork = gaussianNetwork
)

package report

// The writers that the tests call by name.
var (
	DOT     = whole(dot)
	Mermaid = whole(mermaid)
)

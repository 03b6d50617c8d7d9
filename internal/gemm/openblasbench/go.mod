module github.com/polydag/polydag/gemm/openblasbench

go 1.26.0

replace github.com/polydag/polydag => ../..

require (
	github.com/ebitengine/purego v0.11.2
	github.com/polydag/polydag v0.0.0-00010101000000-000000000000
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/sys v0.49.0

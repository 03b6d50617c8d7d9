// Package demo carries a small table, simulated from a known graph over the eight attribute names of the
// paper's CelebA study. CelebA itself may not be redistributed; nothing here comes from it.
package demo

import _ "embed"

// Data is the table: 500 rows, a column an attribute.
//
//go:embed data.csv
var Data []byte

// Truth is the graph that the table was simulated from, with the header from,to,weight.
//
//go:embed truth.csv
var Truth []byte

//go:generate go run generate.go

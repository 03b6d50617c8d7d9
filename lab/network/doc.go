// Package network provides the common parts of the methods that fit networks: rows in batches, networks on a
// tape, their training, and the resulting graph.
//
// In all of them a network computes each column as a function of the others. A matrix derived from the weights
// has a zero for each pair of columns without an edge. An acyclicity constraint keeps the graph of that matrix
// free of cycles, and a threshold selects its edges.
package network

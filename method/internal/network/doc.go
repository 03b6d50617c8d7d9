// Package network is what the methods that fit networks share: rows in batches, networks on a tape,
// their training, and the graph that is left of one.
//
// In all of them a column is a function of the others that a network computes. A number for each
// ordered pair of columns, made of the weights of the network, is zero where the one does not enter
// the function of the other. An acyclicity constraint holds those numbers to a graph without
// cycles, and a threshold leaves its edges.
package network

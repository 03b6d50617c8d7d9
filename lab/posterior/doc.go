// Package posterior has what the methods share that approximate a posterior over graphs: draws of orders and edges
// with relaxed gradients, and the answer.
package posterior

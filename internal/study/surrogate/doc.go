// Package surrogate measures whether a network can replace the acyclicity constraint h_geo, which the paper names as future work: "a neural
// network to predict h(W) and its gradient in O(d²)". Networks are trained on matrices that the solver of NOTEARS passes through, and then compared
// with the exact constraint on other tables: values, gradients, learned graphs and time.
//
// There are two networks. One reads all entries of A = W∘W and of A∘Aᵀ, and fits one number of columns. The other multiplies A by a few
// vectors, which is the way to see longer cycles in O(d²), and fits any number. Both predict log h.
//
// They do not help, so no method uses them. lab/docs/evidence.md has the figures.
package surrogate

// Package sample gives the posterior over DAGs under a local score that is a marginal likelihood: probabilities of edges and of
// ancestors, and graphs drawn from it.
package sample

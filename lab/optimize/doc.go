// Package optimize has the schedules, the penalty and the descent of published continuous methods: the central path of DAGMA, the multipliers
// of NOTEARS, the soft constraint of GOLEM, an L1 penalty of some parameters, and OWL-QN.
package optimize

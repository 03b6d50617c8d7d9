// Package missing learns from rows in which values are missing, under the assumption that they are missing at random: whether
// a value is missing may depend on values that are there, but not on the missing value itself.
//
// FitGaussian estimates mean and covariance by maximum likelihood (EM). FitNetwork fits a Bayesian network to columns of any
// kind. Both fill in rows with draws from the fitted model, given the values that are there.
//
//	g, err := missing.FitGaussian(rows, d, missing.Settings{Threads: threads})
//	m := g.Moments(names, n)
//	g.Filler().Fill(row, random)
package missing

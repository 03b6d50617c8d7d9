// Package sim draws random graphs, mechanisms and samples of structural equation models from one seed: linear and nonlinear
// effects, numeric and categorical nodes, interventions and environments.
//
//	cfg := sim.Default()
//	cfg.Nodes, cfg.Seed = 20, 7
//	model, err := sim.New(cfg)
//	x := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000) // 1000×20
//	w := model.W()                                                 // the truth: entry (i, j) is the edge i → j
//
// Graph, mechanisms, variances, settings and noise come from separate streams of random numbers, so a larger sample or another
// noise does not change the graph.
//
// Experimental: the API of this package may change before 1.0.
package sim

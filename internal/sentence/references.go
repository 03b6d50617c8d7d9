package sentence

// These are the publications that a methods paragraph cites besides those of the method: authors (year), title, journal.
const (
	andrews2019     = "Andrews, Ramsey and Cooper (2019), Learning high-dimensional directed acyclic graphs with mixed data-types, Proceedings of Machine Learning Research 104"
	benjamini1995   = "Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and powerful approach to multiple testing, Journal of the Royal Statistical Society B 57"
	bloebaum2018    = "Blöbaum, Janzing, Washio, Shimizu and Schölkopf (2018), Cause-effect inference by comparing regression errors, AISTATS"
	carlstein1986   = "Carlstein (1986), The use of subseries values for estimating the variance of a general statistic from a stationary sequence, Annals of Statistics 14"
	dempster1977    = "Dempster, Laird and Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm, Journal of the Royal Statistical Society B 39"
	foygel2010      = "Foygel and Drton (2010), Extended Bayesian information criteria for Gaussian graphical models, Advances in Neural Information Processing Systems 23"
	friedman1999    = "Friedman, Goldszmidt and Wyner (1999), Data analysis with Bayesian networks: a bootstrap approach, Uncertainty in Artificial Intelligence 15"
	geiger2002      = "Geiger and Heckerman (2002), Parameter priors for directed acyclic graphical models and the characterization of several probability distributions, Annals of Statistics 30"
	hauser2012      = "Hauser and Bühlmann (2012), Characterization and greedy learning of interventional Markov equivalence classes of directed acyclic graphs, Journal of Machine Learning Research 13"
	heckerman1995   = "Heckerman, Geiger and Chickering (1995), Learning Bayesian networks: the combination of knowledge and statistical data, Machine Learning 20"
	holm1979        = "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6"
	kuipers2014     = "Kuipers, Moffa and Heckerman (2014), Addendum on the scoring of Gaussian directed acyclic graphical models, Annals of Statistics 42"
	meek1995        = "Meek (1995), Causal inference and causal explanation with background knowledge, Uncertainty in Artificial Intelligence 11"
	meinshausen2010 = "Meinshausen and Bühlmann (2010), Stability selection, Journal of the Royal Statistical Society B 72"
	mooij2020       = "Mooij, Magliacane and Claassen (2020), Joint causal inference from multiple contexts, Journal of Machine Learning Research 21"
	peters2014      = "Peters and Bühlmann (2014), Identifiability of Gaussian structural equation models with equal error variances, Biometrika 101"
	rubin1976       = "Rubin (1976), Inference and missing data, Biometrika 63"
	schwarz1978     = "Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6"
	shah2013        = "Shah and Samworth (2013), Variable selection with error control: another look at stability selection, Journal of the Royal Statistical Society B 75"
	shimizu2006     = "Shimizu, Hoyer, Hyvärinen and Kerminen (2006), A linear non-Gaussian acyclic model for causal discovery, Journal of Machine Learning Research 7"
	vuong1989       = "Vuong (1989), Likelihood ratio tests for model selection and non-nested hypotheses, Econometrica 57"
)

// homepage is where the program is found.
const homepage = "https://github.com/polydag/polydag"

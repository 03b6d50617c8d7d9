// Package knowledge represents prior knowledge about a graph: required edges, forbidden edges, and temporal
// tiers, by column name. It is enforced: every learned graph agrees with it. Prior probabilities of edges, and
// tiers with odds, are weighed against the data instead.
//
//	spec, err := knowledge.ReadSpec(file)
//	k, err := spec.Resolve([]string{"age", "sex", "dose", "outcome"})
//	k.Required()       // edges that every graph has
//	k.Forbidden(i, j)  // whether no graph may have i → j
//	k.Mask()           // the same as a d×d matrix, for a continuous solver
//	err = k.Check(g)   // lists the violations of a graph
//	q, err := k.Orient(p) // the members of a Markov equivalence class that agree
//
// # File format
//
// A file is one JSON object; every key is optional.
//
//	{
//	  "require": ["dose->outcome"],
//	  "forbid":  ["*->age", "hair_*->sex", "@hair->@face"],
//	  "tiers":   [["age", "sex"], ["dose"], ["outcome"]],
//	  "prior":   ["dose->weight=0.8", "@hair->outcome=0.1"],
//	  "groups":  {"hair": ["hair_*"], "face": ["nose", "chin"]},
//	  "sources": {"a study of 2019": ["dose->weight=0.8"]}
//	}
//
// A file that is an array of arrays, [["age", "sex"], ["dose"]], gives the tiers alone.
//
// An edge is written cause->effect or cause → effect; spaces around names are ignored. No edge leads from a
// later tier to an earlier one. Inside a tier every edge is allowed, and a column that no tier lists is free:
// edges may join it to any tier, in both directions. With "tier_odds": 4 the tiers are not enforced: an edge
// between two tiers leads to the later one with prior odds of 4.
//
// An entry of prior is an edge and the probability, before seeing the data, that the first column directly causes
// the second. The rest is split equally between the reverse edge and no edge, so that 1/3 is no information.
//
// sources says which entries come from whom. It does not change what the entries mean.
//
// # Names
//
// Instead of a column name, a term may be
//
//   - a name in double quotes, for one that holds an arrow or spaces at its ends: "a->b"->c.
//     A double quote inside is doubled. Nothing else is special between quotes;
//   - a pattern: * is any run of characters and ? any one; all others stand for themselves;
//   - @name, the columns of a group. The list of a group may hold names and patterns.
//
// A term that equals the name of a column is that column, even if it contains * or ? or begins with @.
//
// An edge of forbid goes from each column on its left to each on its right, omitting self-loops, which no DAG
// has. An edge of require must name one column on either side: a product of groups is unlikely to be intended.
//
// A name, a pattern or a group that matches no column is an error, so that no knowledge is silently dropped.
package knowledge

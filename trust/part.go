package trust

import "github.com/polydag/polydag/graph"

// A Part has the graphs of some of the samples that a confidence counts, so that several processes can share the work without a server. Package
// confidence makes it and merges all parts.
type Part struct {
	Resampling Resampling `json:"resampling"`
	// Asked is the number of samples of all parts, and Seed the one that they are drawn with.
	Asked int    `json:"asked"`
	Seed  uint64 `json:"seed"`
	// Graph, Level and Threshold are the settings of the merged result.
	Graph     ConsensusForm `json:"graph"`
	Level     float64       `json:"level"`
	Threshold float64       `json:"threshold"`
	Samples   []PartSample  `json:"samples"`
}

// A PartSample is the graph of one sample, or the reason why it could not be learned.
type PartSample struct {
	Replicate int        `json:"replicate"` // from 0
	Edges     []PartEdge `json:"edges,omitempty"`
	Failed    string     `json:"failed,omitempty"`
}

// A PartEdge is an edge by column index. The mark --- stands for a direction that is not identified.
type PartEdge struct {
	graph.Edge
	Mark string `json:"mark"`
}

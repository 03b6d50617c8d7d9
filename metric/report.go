package metric

import "github.com/polydag/polydag/graph"

// A Report has all metrics of one estimate. Metrics that exist only for DAGs are nil if one of the graphs has a cycle; SID also if
// it was not requested.
type Report struct {
	Nodes          int  `json:"nodes"`
	EdgesTrue      int  `json:"edges_true"`
	EdgesEstimated int  `json:"edges_estimated"`
	Acyclic        bool `json:"acyclic"` // the estimate is a DAG

	// See SHD.
	SHD      int `json:"shd"`
	Missing  int `json:"missing"`
	Extra    int `json:"extra"`
	Reversed int `json:"reversed"`

	// Directed edges. FPR is the share of wrong edges among the ordered pairs (i, j) without i → j in the truth. FPRReleased is the
	// rate of the code released with the paper: without reversed edges, over unordered pairs.
	TP          int     `json:"tp"`
	FP          int     `json:"fp"`
	FN          int     `json:"fn"`
	Precision   float64 `json:"precision"`
	TPR         float64 `json:"tpr"`
	F1          float64 `json:"f1"`
	FPR         float64 `json:"fpr"`
	FPRReleased float64 `json:"fpr_released"`

	// Adjacent pairs, whatever the direction: see Skeleton.
	SkeletonPrecision float64 `json:"skeleton_precision"`
	SkeletonRecall    float64 `json:"skeleton_recall"`
	SkeletonF1        float64 `json:"skeleton_f1"`

	// Between the Markov equivalence classes: see CPDAGDistance and CPDAGEdges.
	CPDAGSHD *int     `json:"cpdag_shd,omitempty"`
	CPDAGF1  *float64 `json:"cpdag_f1,omitempty"`

	// See SID.
	SID *int `json:"sid,omitempty"`

	// Marks compares the classes mark by mark if the estimate is a class and not a DAG. The caller sets it.
	Marks *Marks `json:"marks,omitempty"`

	// Lagged compares the edges with a lag of a time series. The other metrics are then of the edges between values of the same time. The
	// caller sets it.
	Lagged *Lagged `json:"lagged,omitempty"`
}

// Compare returns all metrics except SID. It takes O((n + edges) log n).
func Compare(truth, est *graph.Graph) Report {
	h := SHD(truth, est)
	c := Directed(truth, est)
	s := Skeleton(truth, est)
	r := Report{
		Nodes:             truth.N(),
		EdgesTrue:         truth.NumEdges(),
		EdgesEstimated:    est.NumEdges(),
		Acyclic:           est.IsAcyclic(),
		SHD:               h.Distance(),
		Missing:           h.Missing,
		Extra:             h.Extra,
		Reversed:          h.Reversed,
		TP:                c.TP,
		FP:                c.FP,
		FN:                c.FN,
		Precision:         c.Precision(),
		TPR:               c.Recall(),
		F1:                c.F1(),
		FPR:               fpr(truth, est),
		FPRReleased:       releasedFPR(truth, est),
		SkeletonPrecision: s.Precision(),
		SkeletonRecall:    s.Recall(),
		SkeletonF1:        s.F1(),
	}
	if r.Acyclic && truth.IsAcyclic() {
		// CPDAG fails on cyclic graphs only.
		t, _ := graph.CPDAG(truth)
		e, _ := graph.CPDAG(est)
		distance, f1 := CPDAGDistance(t, e), CPDAGEdges(t, e).F1()
		r.CPDAGSHD, r.CPDAGF1 = &distance, &f1
	}
	return r
}

// CompareWithSID returns all metrics. SID takes O(n · (n + edges)), so omit it for many thousands of nodes.
func CompareWithSID(truth, est *graph.Graph) Report {
	r := Compare(truth, est)
	if sid, err := SID(truth, est); err == nil {
		r.SID = &sid
	}
	return r
}

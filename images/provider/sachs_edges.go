package provider

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/graph"
)

// A Network is a published graph over the molecules of Sachs et al. 2005. Papers disagree about the true graph,
// so a result must name the list.
type Network struct {
	Name   string // name for SachsEdges
	Source string
	edges  string
}

// The networks differ in four edges: the 20-edge lists have three more than the 17-edge list, and one of them
// reverses Plcg → PIP3. All three are DAGs.
const (
	sachsCommon = `Erk Akt
Mek Erk
PIP3 PIP2
PKA Akt
PKA Erk
PKA Jnk
PKA Mek
PKA P38
PKA Raf
PKC Jnk
PKC Mek
PKC P38
PKC PKA
PKC Raf
Plcg PIP2
Raf Mek
`
	sachsMore = `PIP2 PKC
PIP3 Akt
Plcg PKC
`
)

// SachsNetworks lists the networks of SachsEdges.
func SachsNetworks() []Network {
	return []Network{
		{"17", "17 edges: the network sachs of the bnlearn repository, also the target of GraN-DAG and DCDI; Plcg → PIP3",
			sachsCommon + "Plcg PIP3\n"},
		{"20-cmu", "20 edges: ground.truth of cmu-phil/example-causal-datasets; PIP3 → Plcg",
			sachsCommon + sachsMore + "PIP3 Plcg\n"},
		{"20-eliater", "20 edges: the T-cell example of y0-causal-inference/eliater; Plcg → PIP3",
			sachsCommon + sachsMore + "Plcg PIP3\n"},
	}
}

// SachsEdges returns the edges of a network by name, with the column names of Sachs. The caller owns the slice.
func SachsEdges(name string) ([]graph.Link, error) {
	var known []string
	for _, n := range SachsNetworks() {
		if n.Name != name {
			known = append(known, n.Name)
			continue
		}
		var edges []graph.Link
		for line := range strings.Lines(n.edges) {
			from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
			edges = append(edges, graph.Link{From: from, To: to})
		}
		return edges, nil
	}
	return nil, fmt.Errorf("%w: no Sachs network %q; choose %s", ErrSettings, name, strings.Join(known, ", "))
}

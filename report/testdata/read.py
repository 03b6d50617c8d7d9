"""Read graphs with networkx and print what was found as JSON: {file: {"nodes": {name: attributes}, "edges": [[from, to, attributes]]}}."""
import json
import sys

import networkx as nx


def node_link(path):
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    version = tuple(int(v) for v in nx.__version__.split(".")[:2])
    if version >= (3, 6):
        return nx.node_link_graph(data)
    if version >= (3, 4):
        return nx.node_link_graph(data, edges="edges")
    return nx.node_link_graph(data, link="edges")


def matrix(path):
    import numpy as np

    w = np.load(path)
    assert w.dtype == np.float64 and w.flags["C_CONTIGUOUS"], (w.dtype, w.flags)
    graph = nx.from_numpy_array(w, create_using=nx.DiGraph)
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = None if np.isnan(edge["weight"]) else edge["weight"]  # JSON has no NaN
    return graph


def dot(path):
    graph = nx.nx_pydot.read_dot(path)
    graph.remove_nodes_from([n for n in graph if n == "\\n"])  # pydot takes the line end for a node
    return nx.relabel_nodes(nx.DiGraph(graph), {n: n.strip('"') for n in graph})


read = {"graphml": nx.read_graphml, "json": node_link, "npy": matrix, "dot": dot}
out = {}
for path in sys.argv[1:]:
    g = read[path.rsplit(".", 1)[1]](path)
    assert g.is_directed() and not g.is_multigraph(), path
    out[path] = {"nodes": dict(g.nodes(data=True)), "edges": list(g.edges(data=True))}
print(json.dumps(out))

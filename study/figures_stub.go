package study

var figureNames = []string{"bars", "runtime", "trace", "cost", "graph"}

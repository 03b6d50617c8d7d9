//go:build !js

// Package wings joins the wings to the core: it is the only list of them.
//
// Experimental: the API of this package may change before 1.0.
package wings

import (
	"slices"

	cluster "github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/command"
	gpu "github.com/polydag/polydag/gpu/commands"
	images "github.com/polydag/polydag/images/commands"
	lab "github.com/polydag/polydag/lab/commands"
)

// All are the wings of the program.
var All = []command.Wing{lab.Wing, images.Wing, gpu.Wing, cluster.Wing}

// Documents lists the kinds of JSON of the whole program whose schemas are made from types.
func Documents() []command.Document {
	list := command.Documents()
	for _, w := range All {
		list = slices.Concat(list, w.Documents)
	}
	return list
}

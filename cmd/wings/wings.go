//go:build !js

// Package wings joins the commands of the wings to those of the core.
//
// Experimental: the API of this package may change before 1.0.
package wings

import (
	"slices"

	cluster "github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/command"
	images "github.com/polydag/polydag/images/commands"
	lab "github.com/polydag/polydag/lab/commands"
)

// Commands are the commands of all wings.
var Commands = []command.Commands{lab.Commands, images.Commands, cluster.Commands}

// Documents lists the kinds of JSON of the whole program whose schemas are made from types.
func Documents() []command.Document {
	return slices.Concat(command.Documents(), lab.Documents(), cluster.Documents())
}

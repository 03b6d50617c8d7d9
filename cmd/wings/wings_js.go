package wings

import (
	"github.com/polydag/polydag/command"
	gpu "github.com/polydag/polydag/gpu/commands"
	images "github.com/polydag/polydag/images/commands"
	lab "github.com/polydag/polydag/lab/commands"
)

// All are the wings that a web page can run.
var All = []command.Wing{lab.Wing, images.Wing, gpu.Wing}

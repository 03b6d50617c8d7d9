package wings

import (
	"github.com/polydag/polydag/command"
	lab "github.com/polydag/polydag/lab/commands"
)

// Commands are those that a web page can run.
var Commands = []command.Commands{lab.Commands}

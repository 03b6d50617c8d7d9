package commands

import "github.com/polydag/polydag/command"

// Wing has no commands in a web page, which has no GPU that methods can use; --device cpu stays valid.
var Wing = command.Wing{Part: part}

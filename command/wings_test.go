package command_test

import (
	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/command"
)

func init() { command.SetWings(wings.All) }

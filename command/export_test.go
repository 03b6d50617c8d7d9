package command

// allCommands are the commands of the wings, which tests of the whole program need. A test package outside of this one sets them, because
// the wings import this package.
var allCommands []Commands

// SetAllCommands sets the commands of the wings.
func SetAllCommands(all []Commands) { allCommands = all }

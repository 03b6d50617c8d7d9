package command

// allWings are the wings, which tests of the whole program need. A test package outside of this one sets them, because
// the wings import this package.
var allWings []Wing

// SetWings sets the wings.
func SetWings(all []Wing) { allWings = all }

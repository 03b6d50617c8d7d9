package layout

// Readable is about the number of arrows that a person can follow in one picture.
const Readable = 60

// Opening returns how many of the strongest arrows a picture shows by default: all, or Readable if there are
// more than 1.5 times as many.
func Opening(arrows int) int {
	if arrows > 3*Readable/2 {
		return Readable
	}
	return arrows
}

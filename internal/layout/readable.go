package layout

// Readable is about how many arrows a person can follow in one picture.
const Readable = 60

// Opening is how many of the strongest of so many arrows a picture shows unless told otherwise: all, or Readable where there
// are more than half as many again.
func Opening(arrows int) int {
	if arrows > 3*Readable/2 {
		return Readable
	}
	return arrows
}

//go:build !race

package csv

const raceEnabled = false

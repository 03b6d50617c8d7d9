// Package checkpoint stores the state of a long run in a directory, so that a killed run can be resumed.
// polydag.OpenCheckpoint opens one.
//
// A directory has two alternating states, each with a number and a SHA-256 of all its bytes. A save writes a
// new file, syncs it and renames it over the older state. So there is a complete state whenever the process or
// the machine stops. Load takes the newest complete one. While a directory is open no other process can open
// it, on systems with flock. The kernel releases the lock when the process ends.
package checkpoint

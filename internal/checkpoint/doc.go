// Package checkpoint keeps the state of a long run in a directory, so that a run that was killed can go on. polydag.OpenCheckpoint opens one.
//
// A directory holds two states in turn, each with a number and a SHA-256 of all its bytes. A save writes beside them,
// flushes to the disk and renames over the older one: whenever the process or the machine stops, one whole
// state is there. Load takes the newest that is whole. While a directory is open no other process can open it, on systems with
// flock; the kernel gives the lock back when the process ends, however it ends.
package checkpoint

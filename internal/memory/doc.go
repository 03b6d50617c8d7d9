// Package memory says how much of it a run may use.
package memory

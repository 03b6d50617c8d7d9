// Package memory determines how much memory a run may use.
package memory

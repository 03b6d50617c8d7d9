// Package memory has the account of the memory that a process may use: work states its need before it allocates, and is refused if
// the account does not have as much.
package memory

package polydag

import "github.com/polydag/polydag/internal/checkpoint"

// CheckpointDir is a Checkpoint in a directory. It is not safe for concurrent use. Close it after the run.
type CheckpointDir = checkpoint.Dir

// Errors that a CheckpointDir can have.
var (
	ErrCheckpointLocked  = checkpoint.ErrLocked  // another run uses the directory
	ErrCheckpointDamaged = checkpoint.ErrDamaged // the directory has states, and none of them is complete
)

// OpenCheckpoint opens a directory for the state of a run, and creates it where it does not exist. No other process can open it
// before it is closed, on systems with flock.
//
//	dir, err := polydag.OpenCheckpoint("run1")
//	defer dir.Close()
//	res, err := table.Learn(ctx, cfg, polydag.Run{Store: dir, Every: polydag.SaveEvery})
func OpenCheckpoint(path string) (*CheckpointDir, error) { return checkpoint.Open(path) }

package polydag

import (
	"time"

	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/method/stage"
)

// Progress is what an Observer receives while Learn runs:
//
//	Stage            string     // name of the stage
//	Kind             stage.Kind // what a step is
//	Step, Steps      int        // steps done and in all; Steps is 0 if unknown
//	Score, H         float64    // score, and value of the constraint
//	Rho, Alpha       float64    // weights of the constraint
//	Edges            int
//	Untraced         bool       // omitted from Result.Trace
type Progress = stage.Progress

// Observer receives progress, once per step, so it must be quick. Calls come one at a time, from any goroutine.
type Observer func(Progress)

// Run holds the observer and the checkpoint of a run, which do not change the result. The zero value has neither.
//
//	Observe    func(Progress) // called once per step
//	Store      Checkpoint     // saves the state of the run
//	Every      time.Duration  // the shortest time between two saves; see SaveEvery
//	SaveFailed func(error)    // called for a failed save after the first
type Run = stage.Settings

// A Checkpoint saves the state of a run so that an interrupted run can be resumed. OpenCheckpoint saves it in a directory.
type Checkpoint = stage.Store

// CheckpointDir is a Checkpoint in a directory. It is not safe for concurrent use. Close it after the run.
type CheckpointDir struct{ dir *checkpoint.Dir }

// Save implements Checkpoint. It writes the state to a new file before it removes the old one.
func (d *CheckpointDir) Save(state []byte) error { return d.dir.Save(state) }

// Load implements Checkpoint. It returns nil if the directory is empty.
func (d *CheckpointDir) Load() ([]byte, error) { return d.dir.Load() }

// Clear removes the saved states, after a run that is complete.
func (d *CheckpointDir) Clear() error { return d.dir.Clear() }

// Close lets other processes open the directory.
func (d *CheckpointDir) Close() error { return d.dir.Close() }

// Errors of a CheckpointDir.
var (
	ErrCheckpointLocked  = checkpoint.ErrLocked  // another run uses the directory
	ErrCheckpointDamaged = checkpoint.ErrDamaged // the directory has states, but none is complete
)

// OpenCheckpoint opens a directory for the state of a run, and creates it if it does not exist. On systems with flock, no
// other process can open it until it is closed.
//
//	dir, err := polydag.OpenCheckpoint("run1")
//	defer dir.Close()
//	res, err := table.Learn(ctx, cfg, polydag.Run{Store: dir, Every: polydag.SaveEvery})
func OpenCheckpoint(path string) (*CheckpointDir, error) {
	dir, err := checkpoint.Open(path)
	if err != nil {
		return nil, err
	}
	return &CheckpointDir{dir}, nil
}

// SaveEvery is a reasonable interval between two saves: little work is lost, and saving costs little.
const SaveEvery = 5 * time.Second

// ErrCheckpoint is matched by the errors of a run that cannot resume from its checkpoint or cannot save a first state.
var ErrCheckpoint = stage.ErrStore

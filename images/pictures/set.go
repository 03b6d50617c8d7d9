package pictures

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
)

// Settings says how pictures are made. Start from NewSettings.
type Settings struct {
	Size   int   // pixels of the longer side of a thumbnail
	Budget int64 // bytes of all thumbnails as they are embedded, in base64
	// Blur makes images unrecognizable and omits their names.
	Blur bool
	// Link refers to the files by URLs relative to PageDir, the folder of the page, instead of embedding thumbnails.
	Link    bool
	PageDir string
	// Prefix, if not empty, is the start of the URLs of linked pictures instead; the path within the folder follows, escaped as a
	// query.
	Prefix  string
	Threads int // does not change the result
	// Progress, if not nil, is called with the share that is done.
	Progress func(done float64)
}

// DefaultSettings returns thumbnails of 96 pixels, 4 MB of them.
func DefaultSettings() Settings { return Settings{Size: 96, Budget: 4 << 20, Threads: 1} }

// Validate reports every error in the settings.
func (s Settings) Validate() error {
	var errs []error
	if s.Size < 16 || s.Size > 512 {
		errs = append(errs, fmt.Errorf("thumbnails of %d pixels: want 16–512", s.Size))
	}
	if s.Budget < 1 {
		errs = append(errs, errors.New("the budget for pictures is 0; want a number of bytes such as 4M"))
	}
	if s.Blur && s.Link {
		errs = append(errs, errors.New("linked pictures are not blurred; use one of the two"))
	}
	return errors.Join(errs...)
}

// Set has the pictures of a page; web/src/panel/pictures.ts has the same types.
type Set struct {
	Size      int        `json:"size"`
	Linked    bool       `json:"linked"`
	Blurred   bool       `json:"blurred"`
	Pictures  []Picture  `json:"pictures"`
	Variables []Examples `json:"variables"`
	Edges     []Grid     `json:"edges"`
	Matches   []*Match   `json:"matches"`
	Omitted   int        `json:"omitted,omitempty"` // effects without a match, because there are too many
	Budget    int64      `json:"budget"`            // bytes that the sources may have, and Bytes those that they have
	Bytes     int64      `json:"bytes"`
	// Every is the step between the rows that the shares count, 1 for all rows.
	Every   int  `json:"every"`
	Missing int  `json:"missing"` // images that are not in the folder
	Refused int  `json:"refused"` // images that were not read
	Full    bool `json:"full"`    // the budget is spent
}

// Picture is an image that cells refer to. Source is a JPEG image in base64, or a URL if the set is linked.
type Picture struct {
	Name   string `json:"name,omitempty"`
	Source string `json:"source"`

	path string // within the folder
}

// Examples are pictures for each group of values of a variable.
type Examples struct {
	Name   string `json:"name"`
	Groups []Cell `json:"groups"`
}

// Grid has a cell for each combination of groups of the two variables of an edge, by row (From) and column (To).
type Grid struct {
	graph.Link
	Rows  []string `json:"rows"`
	Cols  []string `json:"columns"`
	Cells [][]Cell `json:"cells"`
}

// Cell is a group of rows. Share is the share of the rows in it, and Expected that under independence.
type Cell struct {
	Label    string  `json:"label,omitempty"`
	Share    float64 `json:"share"`
	Expected float64 `json:"expected,omitempty"`
	Pictures []int   `json:"pictures"` // the most typical first

	ranked []int32 // rows to show, the most typical first
	next   int     // index into ranked
}

// Log lists the images that Make could not show, and the size of the others.
type Log struct {
	Images       int // names in the rows
	FirstMissing string
	Refused      []Refusal
	Bytes        int64 // total size of the sources
}

// Refusal is an image that was not read, with the reason.
type Refusal struct {
	Name   string
	Reason error
}

// ErrNone is matched if no image of the table can be shown.
var ErrNone = errors.New("no image can be shown")

// Make chooses examples for each variable and each edge and matched pairs for each effect, and makes pictures of them.
func Make(ctx context.Context, rows *Rows, folder *Folder, edges []graph.Link, effects []Effect, set Settings) (*Set, *Log, error) {
	if err := set.Validate(); err != nil {
		return nil, nil, err
	}
	b := &builder{
		maker: maker{folder: folder, set: set}, rows: rows, refused: map[string]bool{}, known: map[string]int{},
		out: &Set{Size: set.Size, Linked: set.Link, Blurred: set.Blur, Every: rows.Every, Budget: set.Budget, Pictures: []Picture{}, Variables: []Examples{}, Edges: []Grid{}}, log: &Log{},
	}
	b.find()
	if err := b.fill(ctx, b.holders(edges, effects)); err != nil {
		return nil, nil, err
	}
	b.out.Refused, b.out.Bytes = len(b.log.Refused), b.log.Bytes
	if len(b.out.Pictures) == 0 {
		why := "the table has no variables of the result with two values"
		switch {
		case b.out.Full:
			why = "the budget is smaller than one thumbnail"
		case b.out.Missing > 0 && b.out.Refused == 0:
			why = fmt.Sprintf("none of %d files is in the folder (first: %q)", b.log.Images, b.log.FirstMissing)
		case b.out.Refused > 0:
			why = fmt.Sprintf("%d of %d files are missing and %d refused (first: %q: %v)", b.out.Missing, b.log.Images, b.out.Refused, b.log.Refused[0].Name, b.log.Refused[0].Reason)
		case b.log.Images == 0:
			why = "no row has the name of an image"
		}
		return nil, nil, fmt.Errorf("%w: %s", ErrNone, why)
	}
	return b.out, b.log, nil
}

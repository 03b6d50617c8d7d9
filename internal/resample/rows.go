package resample

import "context"

// Rows are the rows of a table that samples are drawn from. They are read again in each pass or kept in memory.
type Rows struct {
	Columns int
	// Read reads the rows from the first one, several whole rows at a time, with the environment of each row (nil for a single environment).
	Read         func(ctx context.Context, each func(rows []float64, environments []int) error) error
	Kept         []float64 // all rows; nil if they are not kept
	Environments []int     // environment of each kept row; nil for a single environment
	Group        []int32   // group of each row; nil without groups
	Sizes        []int     // rows per stratum, or the number of groups
}

// batch is the approximate number of rows that a pass hands over at a time.
const batch = 1024

// Each calls each with the rows, which it must not change.
func (r *Rows) Each(ctx context.Context, each func(rows []float64, environments []int) error) error {
	if r.Kept == nil {
		return r.Read(ctx, each)
	}
	for at := 0; at < len(r.Kept); at += batch * r.Columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := r.Kept[at:min(at+batch*r.Columns, len(r.Kept))]
		var environments []int
		if r.Environments != nil {
			environments = r.Environments[at/r.Columns:][:len(rows)/r.Columns]
		}
		if err := each(rows, environments); err != nil {
			return err
		}
	}
	return nil
}

// Drawn calls each with the rows of a sample; repeated rows follow each other.
func (r *Rows) Drawn(ctx context.Context, d Draw, each func(rows []float64, environments []int) error) error {
	times := r.Times(d)
	var rows []float64
	var environments []int
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := each(rows, environments)
		rows, environments = rows[:0], environments[:0]
		return err
	}
	err := r.Each(ctx, func(from []float64, of []int) error {
		for i := 0; i*r.Columns < len(from); i++ {
			for range times(stratum(of, i)) {
				rows = append(rows, from[i*r.Columns:(i+1)*r.Columns]...)
				if of != nil {
					environments = append(environments, of[i])
				}
			}
			if len(rows) >= batch*r.Columns {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// Count returns how often each row is in a sample.
func (r *Rows) Count(ctx context.Context, d Draw) (out []int, err error) {
	times := r.Times(d)
	err = r.Each(ctx, func(rows []float64, of []int) error {
		for i := range len(rows) / r.Columns {
			out = append(out, times(stratum(of, i)))
		}
		return nil
	})
	return out, err
}

// stratum returns the environment of row i, 0 for a single environment.
func stratum(of []int, i int) int {
	if of == nil {
		return 0
	}
	return of[i]
}

// Times returns a function that is called for one row after the other with its stratum and returns how often the row is
// drawn.
func (r *Rows) Times(d Draw) func(stratum int) int {
	stream := d.Start(r.Sizes)
	if r.Group == nil {
		return stream.Next
	}
	drawn := make([]int, r.Sizes[0])
	for k := range drawn {
		drawn[k] = stream.Next(0)
	}
	row := 0
	return func(int) int {
		row++
		return drawn[r.Group[row-1]]
	}
}

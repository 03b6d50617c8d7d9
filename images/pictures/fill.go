package pictures

import (
	"context"
	"errors"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
)

// builder makes a set.
type builder struct {
	maker
	rows    *Rows
	paths   []string        // the file of each row's image, "" if it cannot be shown
	refused map[string]bool // names that the log has
	known   map[string]int  // index of the picture of each path, or failed
	out     *Set
	log     *Log
}

// failed is the index of a path whose image cannot be read.
const failed = -1

// refuse lists an image once.
func (b *builder) refuse(name string, err error) {
	if !b.refused[name] {
		b.refused[name] = true
		b.log.Refused = append(b.log.Refused, Refusal{name, err})
	}
}

// find finds the file of each row.
func (b *builder) find() {
	b.paths = make([]string, len(b.rows.images))
	seen := map[string]string{}
	for i, name := range b.rows.images {
		if name == "" {
			continue
		}
		p, ok := seen[name]
		if !ok {
			var err error
			p, err = b.folder.Find(name)
			switch {
			case errors.Is(err, errMissing):
				b.missing(name)
			case err != nil:
				b.refuse(name, err)
			}
			seen[name] = p
		}
		b.paths[i] = p
	}
	b.log.Images = len(seen)
}

// missing counts a name without a file.
func (b *builder) missing(name string) {
	if b.out.Missing++; b.out.Missing == 1 {
		b.log.FirstMissing = name
	}
}

// A holder shows pictures: a cell or a match.
type holder interface {
	wanted() []int32 // the rows to show next, none if the holder is full
	extend(b *builder, made map[string]attempt)
}

// fill extends each holder in turn, until all are full or the budget is spent. Then only pictures are used that the set already
// has.
func (b *builder) fill(ctx context.Context, holders []holder) error {
	const ahead = 32 // holders whose pictures are made at the same time
	for turn := range mostShown {
		for start := 0; start < len(holders); start += ahead {
			part := holders[start:min(start+ahead, len(holders))]
			made := b.prepare(part)
			for _, h := range part {
				if err := ctx.Err(); err != nil {
					return err
				}
				h.extend(b, made)
			}
			if b.set.Progress != nil {
				b.set.Progress((float64(turn) + float64(start+len(part))/float64(len(holders))) / mostShown)
			}
		}
	}
	return nil
}

// attempt is a picture or the reason why there is none.
type attempt struct {
	source string
	err    error
}

// prepare makes the next pictures of holders. The set gets none of them yet.
func (b *builder) prepare(holders []holder) map[string]attempt {
	if b.out.Full {
		return nil
	}
	var list []string
	made := map[string]attempt{}
	for _, h := range holders {
		for _, row := range h.wanted() {
			p := b.paths[row]
			if _, ok := b.known[p]; ok {
				continue
			}
			if _, ok := made[p]; !ok {
				made[p] = attempt{}
				list = append(list, p)
			}
		}
	}
	results := make([]attempt, len(list))
	parallel.For(len(list), b.set.Threads, func(k int) { results[k].source, results[k].err = b.picture(list[k]) })
	for k, p := range list {
		made[p] = results[k]
	}
	return made
}

// wanted returns the row of the next picture.
func (c *Cell) wanted() []int32 { return c.ranked[c.next:min(c.next+1, len(c.ranked))] }

// extend adds the next picture.
func (c *Cell) extend(b *builder, made map[string]attempt) {
	for c.next < len(c.ranked) {
		row := c.ranked[c.next]
		c.next++
		k, ok := b.take(row, made)
		if !ok || k == failed || slices.Contains(c.Pictures, k) {
			continue
		}
		c.Pictures = append(c.Pictures, k)
		return
	}
}

// take returns the picture of a row or failed, and adds it to the set if it is new. It returns false if the budget does not allow
// it.
func (b *builder) take(row int32, made map[string]attempt) (index int, ok bool) {
	if k, ok := b.known[b.paths[row]]; ok {
		return k, true
	}
	return b.admit(row, made)
}

// admit adds the picture of a row to the set. It returns false if the budget does not allow it.
func (b *builder) admit(row int32, made map[string]attempt) (index int, ok bool) {
	if b.out.Full {
		return 0, false
	}
	p, name := b.paths[row], b.rows.images[row]
	a, ok := made[p]
	if !ok {
		a.source, a.err = b.picture(p)
	}
	switch {
	case errors.Is(a.err, errMissing): // removed since, or a link to nothing
		b.missing(name)
	case a.err != nil:
		b.refuse(name, a.err)
	}
	if a.err != nil {
		b.known[p] = failed
		return failed, true
	}
	size := int64(len(a.source))
	if !b.set.Link && b.log.Bytes+size > b.set.Budget {
		b.out.Full = true
		return 0, false
	}
	b.log.Bytes += size
	picture := Picture{Source: a.source, path: p}
	if !b.set.Blur {
		picture.Name = name
	}
	b.known[p] = len(b.out.Pictures)
	b.out.Pictures = append(b.out.Pictures, picture)
	return b.known[p], true
}

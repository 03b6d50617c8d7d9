package files

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// ReadCounts reads and checks a file written by WriteCounts. file is the name in errors.
func ReadCounts(file string, r io.ReaderAt, size int64) (*dataset.Counts, error) {
	z, err := openNPZ(file, r, size, DefaultSettings())
	if err != nil {
		return nil, err
	}
	return z.counts()
}

// holdsCounts reports whether the file has the members of a counts file.
func (f *npzFile) holdsCounts() bool {
	return f.member("schema") != nil && f.member("codes") != nil && f.member("times") != nil
}

func (f *npzFile) counts() (*dataset.Counts, error) {
	if err := f.checkCounts(); err != nil {
		return nil, err
	}
	if s, err := f.strings(f.member("schema")); err != nil {
		return nil, err
	} else if len(s) != 1 || s[0] != countsSchema {
		return nil, located(f.file, ErrFormat, "its schema is %q, this program reads %q", s, countsSchema)
	}
	var names, kinds, levels []string
	var number, codes []uint32
	var start, times []uint64
	for _, step := range []func() error{
		func() (err error) { names, err = f.strings(f.member("names")); return err },
		func() (err error) { kinds, err = f.strings(f.member("kinds")); return err },
		func() (err error) { levels, err = f.strings(f.member("levels")); return err },
		func() (err error) { number, err = wholeNumbers[uint32](f, "number"); return err },
		func() (err error) { start, err = wholeNumbers[uint64](f, "start"); return err },
		func() (err error) { codes, err = wholeNumbers[uint32](f, "codes"); return err },
		func() (err error) { times, err = wholeNumbers[uint64](f, "times"); return err },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d := len(names)
	c := &dataset.Counts{Columns: make([]dataset.Column, d), Levels: make([][]dataset.Level, d), Codes: codes, Times: times}
	for j := range d {
		c.Columns[j] = dataset.Column{Name: names[j], Kind: -1}
		for kind := dataset.Unknown; kind <= dataset.Time; kind++ {
			if kind.String() == kinds[j] {
				c.Columns[j].Kind = kind
			}
		}
		if c.Columns[j].Kind < 0 {
			return nil, inColumn(f.file, j, names[j], ErrDamaged, "there is no kind %q", dataset.Excerpt([]byte(kinds[j])))
		}
		lo, hi := start[j], start[j+1]
		if lo > hi || hi > uint64(len(levels)) || j == 0 && lo != 0 || j == d-1 && hi != uint64(len(levels)) {
			return nil, inColumn(f.file, j, names[j], ErrDamaged, "its levels begin at %d and end at %d of %d", lo, hi, len(levels))
		}
		c.Levels[j] = make([]dataset.Level, 0, hi-lo)
		for at := lo; at < hi; at++ {
			level, err := levelOf(levels[at], number[at])
			if err != nil {
				return nil, inColumn(f.file, j, names[j], ErrDamaged, "%v", err)
			}
			c.Levels[j] = append(c.Levels[j], level)
		}
	}
	if err := c.Validate(); errors.Is(err, dataset.ErrDistinct) {
		return nil, named(f.file, err)
	} else if err != nil {
		return nil, located(f.file, ErrDamaged, "%v", err)
	}
	return c, nil
}

// mostCounts limits the bytes of a file's counts: a quarter of Settings.MaxMemory or 16 times the file size, whichever is larger,
// and at most Settings.MaxMemory. Files of WriteCounts never need more than 16 times their size.
func (f *npzFile) mostCounts() int64 { return min(f.opt.MaxMemory, max(f.opt.MaxMemory/4, 16*f.size)) }

// checkCounts reads only the headers of the arrays. It rejects arrays that are missing, have another type, do not fit together, or
// would take more than mostCounts in total.
func (f *npzFile) checkCounts() error {
	head := map[string]*npyHeader{}
	for _, name := range []string{"schema", "names", "kinds", "levels", "number", "start", "codes", "times"} {
		m := f.member(name)
		if m == nil {
			return located(f.file, ErrNoTable, "counts have an array %s; there are %s", name, f.list())
		}
		h, err := f.header(m)
		if err != nil {
			return err
		}
		head[name] = h
	}
	for _, name := range []string{"number", "start", "codes", "times"} {
		h, as := head[name], map[string]string{"number": "u1", "start": "<i8", "codes": "<u4", "times": "<u8"}[name]
		if h.kind != 'i' && h.kind != 'u' || !h.numeric() || h.big && h.size > 1 || h.fortran && len(h.shape) > 1 {
			order := ""
			if h.fortran && len(h.shape) > 1 {
				order = " in column order"
			}
			return &dataset.ParseError{File: f.file, Err: fault.New(ErrType, fmt.Sprintf("the array %s of its counts has elements of type %q%s, want whole numbers in row order, the lowest byte first", name, h.descr, order),
				"save it as np.ascontiguousarray(%s, %q)", name, as)}
		}
	}
	shape := func(name string, want ...int64) bool { return slices.Equal(head[name].shape, want) }
	size := func(name string) int64 { return head[name].elements() }
	d, k, levels := size("names"), size("times"), size("levels")
	if size("schema") != 1 || d < 0 || k < 0 || levels < 0 || !shape("names", d) || !shape("kinds", d) || !shape("levels", levels) || !shape("number", levels) || !shape("start", d+1) || !shape("codes", k, d) || !shape("times", k) {
		return located(f.file, ErrDamaged, "the arrays of its counts do not belong together: %s", f.list())
	}
	// The arrays themselves, plus 4 bytes per code, 8 per row, and a text and a Level per level.
	need := 4*float64(k)*float64(d) + 8*float64(k) + 64*float64(levels) + 64*float64(d)
	for _, h := range head {
		need += float64(h.elements()) * float64(h.size)
	}
	if most := f.mostCounts(); need > float64(most) {
		return &dataset.ParseError{File: f.file, Detail: fmt.Sprintf("its counts need %.0f MB of memory, and a file of this size may take %d MB", need/(1<<20), most>>20),
			Err: fault.New(ErrLimit, "", "write it without compression, or count the table without columns of many values (%s)", fault.Use("drop"))}
	}
	return nil
}

// levelOf parses a level as WriteCounts writes it.
func levelOf(text string, number uint32) (dataset.Level, error) {
	if number == 0 {
		return dataset.Level{Word: text, IsWord: true}, nil
	}
	if text == "" {
		text = "NaN"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || number != 1 {
		return dataset.Level{}, fmt.Errorf("the level %q is said to be a number", dataset.Excerpt([]byte(text)))
	}
	return dataset.Level{Number: x}, nil
}

// wholeNumbers reads an array that checkCounts has accepted. A number that is negative or too large for T is an error.
func wholeNumbers[T uint32 | uint64](f *npzFile, name string) ([]T, error) {
	h, data, err := f.load(f.member(name), f.mostCounts())
	if err != nil {
		return nil, err
	}
	if err := f.memory.take(8*int64(len(data)/h.size), int64(len(data)), "the array "+name); err != nil {
		return nil, err
	}
	out := make([]T, len(data)/h.size)
	for i := range out {
		x := uint64(0)
		for b := h.size - 1; b >= 0; b-- {
			x = x<<8 | uint64(data[i*h.size+b])
		}
		if h.kind == 'i' && x>>(8*h.size-1) != 0 {
			return nil, located(f.file, ErrDamaged, "array %s: number %d is negative", name, i+1)
		}
		if out[i] = T(x); uint64(out[i]) != x {
			return nil, located(f.file, ErrDamaged, "array %s: number %d is %d", name, i+1, x)
		}
	}
	return out, nil
}

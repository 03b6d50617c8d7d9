package prepare

import (
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/parallel"
)

// profileRows is the number of rows that the profiler processes at once: 8 columns of them fit the first-level cache. The
// boundaries, and thus the last bits of the profile, do not depend on the batches.
const profileRows = 512

// A profiler describes the columns of a stream of rows. It transposes blocks of rows and processes columns in parallel. Each column
// is processed by one thread at a time, in order, so that the profile does not depend on the number of threads.
type profiler struct {
	d       int
	threads int
	have    int       // rows in block
	block   []float64 // column after column, profileRows each
	clean   bool      // no missing value in block
	columns []columnStats
	repeats repeats
}

func newProfiler(d, threads int) *profiler {
	p := &profiler{d: d, threads: threads, clean: true, block: make([]float64, d*profileRows), columns: make([]columnStats, d)}
	for j := range p.columns {
		p.columns[j] = columnStats{distinct: distinct{limit: dataset.DistinctLimit}, integer: true, rising: true, falling: true, risen: true, fallen: true}
	}
	return p
}

// add adds rows, which it neither changes nor keeps.
func (p *profiler) add(rows []float64, clean bool) {
	// Hashing the rows is one more job beside those of the columns.
	for len(rows) > 0 {
		k := min(len(rows)/p.d, profileRows-p.have)
		p.clean = p.clean && clean
		part := rows[:k*p.d]
		last := p.have+k == profileRows
		p.each(func(j0, j1 int) {
			p.transpose(part, j0, j1)
			if last {
				p.look(j0, j1, profileRows)
			}
		}, func() { p.repeats.add(part, p.d, clean) })
		p.have += k
		if last {
			p.have, p.clean = 0, true
		}
		rows = rows[k*p.d:]
	}
}

// each calls work for all columns, 8 at a time, and beside once, in parallel.
func (p *profiler) each(work func(j0, j1 int), beside func()) {
	const line = 8
	// A thread is worthwhile from about 50 µs of work on.
	threads := min(p.threads, p.d*profileRows/(1<<14))
	parallel.For(1+(p.d+line-1)/line, threads, func(i int) {
		if i == 0 {
			beside()
		} else {
			work((i-1)*line, min(i*line, p.d))
		}
	})
}

// transpose appends rows to the columns j0 … j1-1 of the block, one cache line of each row at a time.
func (p *profiler) transpose(rows []float64, j0, j1 int) {
	const line = 8
	for ; j0 < j1; j0 += line {
		w := min(line, j1-j0)
		at := p.block[j0*profileRows+p.have:]
		if w < line {
			for i := 0; i*p.d < len(rows); i++ {
				for j, v := range rows[i*p.d+j0:][:w] {
					at[j*profileRows+i] = v
				}
			}
			continue
		}
		for i := 0; i*p.d < len(rows); i++ {
			row, dst := (*[line]float64)(rows[i*p.d+j0:]), (*[7*profileRows + 1]float64)(at[i:])
			dst[0*profileRows], dst[1*profileRows], dst[2*profileRows], dst[3*profileRows] = row[0], row[1], row[2], row[3]
			dst[4*profileRows], dst[5*profileRows], dst[6*profileRows], dst[7*profileRows] = row[4], row[5], row[6], row[7]
		}
	}
}

// look describes the first rows of the block in columns j0 … j1-1 and overwrites them.
func (p *profiler) look(j0, j1, rows int) {
	var squares [profileRows]float64
	for j := j0; j < j1; j++ {
		x := p.block[j*profileRows:][:rows]
		s := &p.columns[j]
		if !p.clean {
			there := x[:0]
			for _, v := range x {
				if v == v {
					there = append(there, v)
				}
			}
			s.missing += len(x) - len(there)
			x = there
		}
		s.add(x, squares[:])
	}
}

package dataset

// Bounds of a sample: at most sampleRows rows and about sampleValues numbers (8 MB), but never fewer than leastSample rows, so
// that its memory is O(d).
const (
	sampleRows   = 4096
	leastSample  = 256
	sampleValues = 1 << 20
	sampleBlock  = 16
)

// A Sample holds rows of a table as the moments saw them, after text, logarithms, missing values and scores were dealt with: what
// the residuals of a model are looked at with once the model is known. A table of at most 4096 rows is in it whole, where it has at
// most 256 columns; with more columns the rows are fewer, down to 256. Of a
// longer one it has blocks of 16 consecutive rows, evenly spaced over the table, between half as many rows and as many.
// Which rows it has depends on nothing but their number.
type Sample struct {
	Columns int
	// Values has one row after the other; a missing value is NaN.
	Values []float64
	// Index has the place of each row among those that the moments count, from 0: rows with successive indices are neighbours.
	Index []int
}

// Rows returns how many there are.
func (s *Sample) Rows() int { return len(s.Index) }

// Row returns row i, which is the sample's own.
func (s *Sample) Row(i int) []float64 { return s.Values[i*s.Columns : (i+1)*s.Columns] }

// A sampler is a sink that keeps some of the rows on their way. It takes every stride-th block; each time the sample is full it
// drops every second of its blocks and doubles the stride.
type sampler struct {
	to     sink
	sample Sample
	most   int // rows
	stride int // in blocks
	seen   int // rows
}

func newSampler(columns int, to sink) *sampler {
	most := sampleRows
	for most > leastSample && most*columns > sampleValues {
		most /= 2
	}
	return &sampler{to: to, sample: Sample{Columns: columns}, most: most, stride: 1}
}

func (s *sampler) add(rows []float64, clean bool) error {
	d := s.sample.Columns
	for i := 0; i*d < len(rows); {
		block := s.seen / sampleBlock
		end := min(len(rows)/d-i, sampleBlock-s.seen%sampleBlock) // rows to the end of the block, or of what came
		if block%s.stride == 0 {
			if len(s.sample.Index) == s.most && s.seen%sampleBlock == 0 {
				s.thin()
				continue
			}
			s.sample.Values = append(s.sample.Values, rows[i*d:(i+end)*d]...)
			for k := range end {
				s.sample.Index = append(s.sample.Index, s.seen+k)
			}
		}
		i += end
		s.seen += end
	}
	return s.to.add(rows, clean)
}

// thin drops every second block of a full sample.
func (s *sampler) thin() {
	s.stride *= 2
	d, kept := s.sample.Columns, 0
	for from := 0; from < len(s.sample.Index); from += 2 * sampleBlock {
		copy(s.sample.Index[kept:], s.sample.Index[from:from+sampleBlock])
		copy(s.sample.Values[kept*d:], s.sample.Values[from*d:(from+sampleBlock)*d])
		kept += sampleBlock
	}
	s.sample.Index, s.sample.Values = s.sample.Index[:kept], s.sample.Values[:kept*d]
}

func (s *sampler) finish() (*Moments, []string, error) { return s.to.finish() }

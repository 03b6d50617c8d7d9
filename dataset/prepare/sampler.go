package prepare

import "github.com/polydag/polydag/dataset"

// A sample has at most sampleRows rows and about sampleValues numbers (8 MB), but at least leastSample rows, so that its memory is
// O(d).
const (
	sampleRows   = 4096
	leastSample  = 256
	sampleValues = 1 << 20
	sampleBlock  = 16
)

// A sampler is a sink that keeps some of the rows. It keeps every stride-th block. When the sample is full, it drops every second
// block and doubles the stride.
type sampler struct {
	to     sink
	sample dataset.Sample
	width  int // values of a row
	most   int // largest number of rows
	stride int // in blocks
	seen   int // rows seen
}

func newSampler(columns, width int, to sink) *sampler {
	most := sampleRows
	for most > leastSample && most*columns > sampleValues {
		most /= 2
	}
	return &sampler{to: to, width: width, sample: dataset.Sample{Columns: columns}, most: most, stride: 1}
}

func (s *sampler) add(rows []float64, clean bool) error {
	d := s.width
	for i := 0; i*d < len(rows); {
		block := s.seen / sampleBlock
		end := min(len(rows)/d-i, sampleBlock-s.seen%sampleBlock) // rows to the end of the block or of the batch
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
	d, kept := s.width, 0
	for from := 0; from < len(s.sample.Index); from += 2 * sampleBlock {
		copy(s.sample.Index[kept:], s.sample.Index[from:from+sampleBlock])
		copy(s.sample.Values[kept*d:], s.sample.Values[from*d:(from+sampleBlock)*d])
		kept += sampleBlock
	}
	s.sample.Index, s.sample.Values = s.sample.Index[:kept], s.sample.Values[:kept*d]
}

func (s *sampler) finish() (*dataset.Moments, []string, error) { return s.to.finish() }

// A RowSampler makes the same sample of a table as Gather from its rows.
type RowSampler struct {
	sampler      *sampler
	wide         []float64 // rows followed by their environment; nil without environments
	environments []int     // 0, 1, …
}

// NewRowSampler returns a sampler for rows with the given numbers of columns and environments, where 0 means no environments.
func NewRowSampler(columns, environments int) *RowSampler {
	s := &RowSampler{sampler: newSampler(columns, columns, nowhere{})}
	if environments > 0 {
		s.sampler.width++
		for k := range environments {
			s.environments = append(s.environments, k)
		}
	}
	return s
}

// Add adds rows, which it does not keep, with their environments if it has environments.
func (s *RowSampler) Add(b dataset.RowBatch) error {
	if s.environments == nil {
		return s.sampler.add(b.Values, true)
	}
	d := s.sampler.sample.Columns
	s.wide = s.wide[:0]
	for i, k := range b.Environments {
		s.wide = append(append(s.wide, b.Values[i*d:(i+1)*d]...), float64(k))
	}
	return s.sampler.add(s.wide, true)
}

// Sample returns the sample and ends the sampler.
func (s *RowSampler) Sample() *dataset.Sample {
	if s.environments != nil {
		takeEnvironments(&s.sampler.sample, s.environments)
	}
	return &s.sampler.sample
}

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) add([]float64, bool) error                   { return nil }
func (nowhere) finish() (*dataset.Moments, []string, error) { return nil, nil, nil }

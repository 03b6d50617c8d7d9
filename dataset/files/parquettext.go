package files

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
)

// bytes calls f with each of the next n values of a byte array column. They are valid only during the call.
func (r *pqReader) bytes(n int, f func(v []byte) error) error {
	most := r.s.opt.CSV.MaxLine
	var fixed [64]byte
	if r.enc == encDictionary {
		if err := r.index.next(r.indices[:n]); err != nil {
			return err
		}
	}
	for i := range n {
		var v []byte
		switch r.enc {
		case encDictionary:
			k := r.indices[i]
			if int64(k) >= int64(len(r.dictText)) {
				return errIndex
			}
			v = r.dictBuf[r.dictText[k][0]:r.dictText[k][1]]
		case encPlain:
			if r.c.physical == pqFixed {
				if len(r.data) < r.c.length {
					return errShort
				}
				v, r.data = r.data[:r.c.length], r.data[r.c.length:]
				break
			}
			var err error
			if v, r.data, err = sized(r.data); err != nil {
				return err
			}
		case encSplit:
			v = fixed[:r.c.length]
			if err := r.gather(v); err != nil {
				return err
			}
		default:
			var one [1]int64
			if err := r.diff.next(one[:]); err != nil {
				return err
			}
			if one[0] < 0 || one[0] > int64(len(r.data)) {
				return errShort
			}
			v, r.data = r.data[:one[0]], r.data[one[0]:]
			if r.enc == encDeltaBytes {
				if err := r.prefix.next(one[:]); err != nil {
					return err
				}
				if one[0] < 0 || one[0] > int64(len(r.last)) {
					return errShort
				}
				if int(one[0])+len(v) > most {
					return located(r.s.file, dataset.ErrLineTooLong, "a text, limit %d bytes", most)
				}
				r.last = append(r.last[:one[0]], v...)
				v = r.last
			}
			if r.c.physical == pqFixed && len(v) != r.c.length {
				return errShort
			}
		}
		if len(v) > most {
			return located(r.s.file, dataset.ErrLineTooLong, "a text, limit %d bytes", most)
		}
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// dictionary reads the dictionary page of a column chunk, which is in dictBuf.
func (r *pqReader) dictionary(h *pqHeader, page []byte) error {
	if len(r.dict) > 0 || len(r.dictText) > 0 {
		return r.fault(fmt.Errorf("there are two dictionaries"))
	}
	if h.encoding != encPlain && h.encoding != encPlainDictionary || r.c.physical == pqBoolean {
		return r.fault(fmt.Errorf("a dictionary in encoding %d", h.encoding))
	}
	least := r.c.size()
	if r.c.physical == pqBytes {
		least = 4
	}
	if h.values > int64(len(page)/least) {
		return r.fault(errShort)
	}
	if need := 8 * h.values; need > r.held {
		if err := r.s.memory.take(need, r.held, "a dictionary of "+shown(r.c.name)); err != nil {
			return err
		}
		r.held = need
	}
	n := int(h.values)
	if r.c.meaning == pqString {
		at := uint32(0)
		for range n {
			v, rest, err := sized(page)
			if err != nil {
				return r.fault(err)
			}
			r.dictText = append(r.dictText, [2]uint32{at + 4, at + 4 + uint32(len(v))})
			at += 4 + uint32(len(v))
			page = rest
		}
		return nil
	}
	if cap(r.dict) < n {
		r.dict = make([]float64, n)
	}
	r.dict = r.dict[:n]
	was, enc := r.data, r.enc
	defer func() { r.data, r.enc = was, enc }()
	r.data, r.enc = page, encPlain
	if err := r.numbers(r.dict); err != nil {
		return r.fault(err)
	}
	return nil
}

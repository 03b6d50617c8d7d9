package files

import (
	"fmt"
	"io"
)

// aheadSize is how many bytes are unpacked while the ones before are parsed.
const aheadSize = 1 << 18

// readAhead reads r on a goroutine of its own, so that unpacking and parsing go on at the same time. When r ends or the returned
// reader is closed, done is called on that goroutine.
func readAhead(r io.Reader, done func()) *io.PipeReader {
	out, in := io.Pipe()
	go func() {
		var err error
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%v", p)
			}
			done()
			in.CloseWithError(err)
		}()
		_, err = io.CopyBuffer(in, struct{ io.Reader }{r}, make([]byte, aheadSize))
	}()
	return out
}

package files

import (
	"fmt"
	"io"
)

// aheadSize is the number of bytes decompressed ahead of the parser.
const aheadSize = 1 << 18

// readAhead reads r on its own goroutine, so that decompression and parsing run in parallel. It calls done on that goroutine when r
// ends or the returned reader is closed.
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

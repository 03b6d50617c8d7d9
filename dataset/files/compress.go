package files

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A packer is a compression: its first bytes, its word in Input.Compression and its name.
type packer struct{ magic, word, name string }

// packings are the supported compressions.
var packings = []packer{
	{"\x1f\x8b", "gz", "gzip"},
	{"\x28\xb5\x2f\xfd", "zst", "zstd"},
	{"BZh", "bz2", "bzip2"},
}

// packing returns the name of the compression of a file that starts with head, or "".
func packing(head []byte) string {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) && (p.word != "bz2" || len(head) >= 10 && string(head[4:10]) == "1AY&SY") {
			return p.word
		}
	}
	return ""
}

// maxWindow is the largest window of a zstd decoder: 128 MiB, the limit of zstd without --long.
const maxWindow = 128 << 20

// windowFor limits the window of a decoder, and with it its memory, to a quarter of Settings.MaxMemory.
func windowFor(opt Settings) uint64 { return uint64(min(maxWindow, opt.MaxMemory/4)) }

// unpack returns the content of a compressed stream and a function that releases it.
func unpack(word string, r io.Reader, window uint64) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(r, 1<<17)
	switch word {
	case "gz":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { z.Close() }, nil
	case "zst":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return bzip2.NewReader(in), func() {}, nil
}

// unpacked is the content of a compressed file, read ahead on its own goroutine. Its errors name the file.
type unpacked struct {
	*io.PipeReader
	file, name string
	window     uint64
}

func newUnpacked(file, word string, opt Settings) *unpacked {
	k := slices.IndexFunc(packings, func(p packer) bool { return p.word == word })
	return &unpacked{file: file, name: packings[k].name, window: windowFor(opt)}
}

// packedHead returns the first bytes of the content.
func packedHead(file, word string, r io.Reader, opt Settings) (head []byte, err error) {
	u := newUnpacked(file, word, opt)
	err = guarded(file, func() error {
		content, free, err := unpack(word, r, u.window)
		if err != nil {
			return u.fault(err)
		}
		defer free()
		if head, err = headOf(content); err != nil {
			return u.fault(err)
		}
		return nil
	})
	return head, err
}

func openPacked(file, word string, r io.Reader, opt Settings) (*unpacked, error) {
	u := newUnpacked(file, word, opt)
	content, free, err := unpack(word, r, u.window)
	if err != nil {
		return nil, u.fault(err)
	}
	u.PipeReader = readAhead(content, free)
	return u, nil
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.PipeReader.Read(p)
	if err != nil && err != io.EOF {
		err = u.fault(err)
	}
	return n, err
}

func (u *unpacked) fault(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return located(u.file, ErrDamaged, "the %s data ends early", u.name)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return located(u.file, ErrLimit, "the %s data needs a window of more than %d MiB", u.name, u.window>>20)
	case errors.Is(err, ErrOnePass):
		return err
	}
	return located(u.file, ErrDamaged, "%s data: %v", u.name, err)
}

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

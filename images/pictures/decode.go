package pictures

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

const (
	mostPixels = 50_000_000 // the most pixels of an image, from its header
	mostBytes  = 200 << 20  // the largest file
	// largePixels is the size from which images are decoded one at a time, to limit the memory.
	largePixels = 8_000_000
)

// format reads one format of images.
type format struct {
	magic  string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var formats = []format{
	{"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"GIF8", gif.DecodeConfig, gif.Decode},
	{"RIFF", webpConfig, webp.Decode},
}

var errFormat = errors.New("not a JPEG, PNG, WebP or GIF image")

// header reads the format and the size of an image and leaves r at its start.
func header(r io.ReadSeeker) (format, image.Config, error) {
	var first [8]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return format{}, image.Config{}, errFormat
	}
	for _, f := range formats {
		if !bytes.HasPrefix(first[:], []byte(f.magic)) {
			continue
		}
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return f, image.Config{}, err
		}
		size, err := f.config(r)
		switch {
		case err != nil:
			return f, size, fmt.Errorf("damaged: %w", err)
		case size.Width < 1 || size.Height < 1:
			return f, size, errors.New("damaged: an image without pixels")
		case size.Width > mostPixels/size.Height:
			return f, size, fmt.Errorf("%d × %d pixels, limit %d million", size.Width, size.Height, mostPixels/1_000_000)
		}
		_, err = r.Seek(0, io.SeekStart)
		return f, size, err
	}
	return format{}, image.Config{}, errFormat
}

// decoded reads the pixels of an image whose header was read. The decoders are made for hostile input, and a panic
// in one of them must not end a report of many images.
func decoded(f format, r io.Reader) (m image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("damaged: %v", p)
		}
	}()
	m, err = f.decode(r)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return m, nil
}

// webpConfig returns the size of a WebP image. The size of the canvas and that of the coded pixels have to agree,
// because the decoder allocates memory for each.
func webpConfig(r io.Reader) (image.Config, error) {
	wrong := errors.New("webp: invalid format")
	var b [30]byte
	if _, err := io.ReadFull(r, b[:12]); err != nil || string(b[8:12]) != "WEBP" {
		return image.Config{}, wrong
	}
	var canvas image.Config
	for range 100 { // chunks of metadata may come before the pixels
		if _, err := io.ReadFull(r, b[:8]); err != nil {
			return image.Config{}, wrong
		}
		kind, size := string(b[:4]), int64(b[4])|int64(b[5])<<8|int64(b[6])<<16|int64(b[7])<<24
		need := min(size, 10)
		d := b[8 : 8+need]
		if _, err := io.ReadFull(r, d); err != nil {
			return image.Config{}, wrong
		}
		var own image.Config
		switch {
		case kind == "VP8X" && need == 10:
			canvas.Width, canvas.Height = 1+(int(d[4])|int(d[5])<<8|int(d[6])<<16), 1+(int(d[7])|int(d[8])<<8|int(d[9])<<16)
		case kind == "VP8 " && need == 10:
			own = image.Config{Width: (int(d[6]) | int(d[7])<<8) & 0x3fff, Height: (int(d[8]) | int(d[9])<<8) & 0x3fff}
		case kind == "VP8L" && need >= 5:
			bits := int(d[1]) | int(d[2])<<8 | int(d[3])<<16 | int(d[4])<<24
			own = image.Config{Width: 1 + bits&0x3fff, Height: 1 + bits>>14&0x3fff}
		}
		if own.Width > 0 {
			if canvas.Width > 0 && (own.Width != canvas.Width || own.Height != canvas.Height) {
				return image.Config{}, errors.New("webp: two different sizes")
			}
			return own, nil
		}
		if _, err := io.CopyN(io.Discard, r, size-need+size%2); err != nil {
			return image.Config{}, wrong
		}
	}
	return image.Config{}, wrong
}

// A Photo is a decoded image.
type Photo struct {
	Pixels image.Image // as stored; see Upright
	turn   int         // EXIF orientation
}

// Size returns width and height of the image as it is meant to be seen.
func (p Photo) Size() (width, height int) {
	box := p.Pixels.Bounds()
	if p.Turned() {
		return box.Dy(), box.Dx()
	}
	return box.Dx(), box.Dy()
}

// Turned reports whether the stored rows are columns of the image as it is meant to be seen.
func (p Photo) Turned() bool { return p.turn >= 5 }

// Upright returns a copy of the stored image, of any size, as it is meant to be seen.
func (p Photo) Upright(m *image.RGBA) *image.RGBA { return upright(m, p.turn) }

// check reads the header of an image.
func (f *Folder) check(p string) error {
	file, err := f.open(p)
	if err != nil {
		return err
	}
	defer file.Close()
	_, _, err = header(file)
	return err
}

// Decode reads an image and calls use with it. The size in the header is checked before the pixels are decoded. Large
// images are decoded and used one at a time, to limit the memory.
func (f *Folder) Decode(p string, use func(Photo) error) error {
	file, err := f.open(p)
	if err != nil {
		return err
	}
	defer file.Close()
	format, size, err := header(file)
	if err != nil {
		return err
	}
	if size.Width*size.Height > largePixels {
		f.large.Lock()
		defer f.large.Unlock()
	}
	photo := Photo{turn: 1}
	if format.magic == formats[0].magic {
		photo.turn = orientation(file)
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	if photo.Pixels, err = decoded(format, bufio.NewReaderSize(file, 1<<16)); err != nil {
		return err
	}
	return use(photo)
}

// Stored returns where a middle part of the image as it is meant to be seen is in the stored image. The part has the same
// distance to opposite sides, up to one pixel.
func (p Photo) Stored(part image.Rectangle) image.Rectangle {
	if p.Turned() {
		part = image.Rect(part.Min.Y, part.Min.X, part.Max.Y, part.Max.X)
	}
	return part.Add(p.Pixels.Bounds().Min)
}

package pictures

import (
	"bufio"
	"image"
	"io"
)

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

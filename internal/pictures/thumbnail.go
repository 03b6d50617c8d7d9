package pictures

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/image/draw"
)

const (
	// blurredPixels is the longer side of a blurred image before it is enlarged again. No face can be recognized.
	blurredPixels = 6
	quality       = 75 // quality of JPEG thumbnails
)

// maker makes the pictures of a set.
type maker struct {
	folder *Folder
	set    Settings
	large  sync.Mutex // held while a large image is decoded
}

// picture returns the source of a picture: a JPEG thumbnail in base64, or the relative URL of the file.
func (m *maker) picture(p string) (string, error) {
	file, err := m.folder.open(p)
	if err != nil {
		return "", err
	}
	defer file.Close()
	f, size, err := header(file)
	if err != nil {
		return "", err
	}
	if m.set.Link {
		return m.link(p)
	}
	if size.Width*size.Height > largePixels {
		m.large.Lock()
		defer m.large.Unlock()
	}
	turn := 1
	if f.magic == formats[0].magic {
		turn = orientation(file)
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
	}
	pixels, err := decoded(f, bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, upright(m.shrink(pixels), turn), &jpeg.Options{Quality: quality}); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// shrink scales an image on white to the size of a thumbnail. It enlarges none.
func (m *maker) shrink(pixels image.Image) *image.RGBA {
	box := pixels.Bounds()
	longer := max(box.Dx(), box.Dy())
	size := min(longer, m.set.Size)
	scaled := func(from image.Image, side int) *image.RGBA {
		at := func(n int) int { return max(1, (n*side+longer/2)/longer) }
		out := image.NewRGBA(image.Rect(0, 0, at(box.Dx()), at(box.Dy())))
		draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
		draw.BiLinear.Scale(out, out.Rect, from, from.Bounds(), draw.Over, nil)
		return out
	}
	if m.set.Blur {
		return scaled(scaled(pixels, min(size, blurredPixels)), size)
	}
	return scaled(pixels, size)
}

// link returns the URL of an image relative to the page.
func (m *maker) link(p string) (string, error) {
	relative, err := filepath.Rel(m.set.PageDir, filepath.Join(m.folder.dir, filepath.FromSlash(p)))
	if err != nil {
		return "", err
	}
	parts := strings.Split(filepath.ToSlash(relative), "/")
	for k := range parts {
		parts[k] = url.PathEscape(parts[k])
	}
	return "./" + path.Join(parts...), nil
}

package pictures

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"net/url"
	"path"
	"path/filepath"
	"strings"

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
}

// picture returns the source of a picture: a JPEG thumbnail in base64, or the relative URL of the file.
func (m *maker) picture(p string) (string, error) {
	if m.set.Link {
		if err := m.folder.check(p); err != nil {
			return "", err
		}
		return m.link(p)
	}
	text, err := m.thumbnail(p)
	return base64.StdEncoding.EncodeToString(text), err
}

// thumbnail returns an image as a small JPEG image.
func (m *maker) thumbnail(p string) ([]byte, error) {
	var b bytes.Buffer
	err := m.folder.Decode(p, func(photo Photo) error {
		return jpeg.Encode(&b, photo.Upright(m.shrink(photo.Pixels)), &jpeg.Options{Quality: quality})
	})
	return b.Bytes(), err
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

// link returns the URL of an image on a server, or relative to the page.
func (m *maker) link(p string) (string, error) {
	if m.set.Prefix != "" {
		return m.set.Prefix + url.QueryEscape(p), nil
	}
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

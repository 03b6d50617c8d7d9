//go:build !js

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// pictured writes a table of 60 rows and their images, and returns the paths of both.
func pictured(t *testing.T) (table, dir string) {
	t.Helper()
	base := t.TempDir()
	table, dir = filepath.Join(base, "table.csv"), filepath.Join(base, "images")
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	var text strings.Builder
	text.WriteString("image,red,dark\n")
	m := image.NewRGBA(image.Rect(0, 0, 120, 60))
	for i := range 60 {
		red := i % 2
		dark := red
		if i%5 == 0 {
			dark = 1 - red
		}
		m.Set(0, 0, color.RGBA{uint8(i), 0, 0, 255})
		var b bytes.Buffer
		must.Succeed(t, png.Encode(&b, m))
		name := fmt.Sprintf("sub/%02d a&b.png", i)
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600))
		fmt.Fprintf(&text, "%s,%d,%d\n", name, red, dark)
	}
	must.Succeed(t, os.WriteFile(table, []byte(text.String()), 0o600))
	return table, dir
}

func galleryOf(t *testing.T, args ...string) (*gallery, error) {
	t.Helper()
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	g := newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...).newGallery(f)
	must.Succeed(t, f.Parse(args))
	opened, err := g.open()
	if err == nil {
		t.Cleanup(opened.close)
	}
	return opened, err
}

// TestServedPictures checks the pictures of an uploaded table, and of a result that was in the folder before.
func TestServedPictures(t *testing.T) {
	table, dir := pictured(t)
	a := newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...)
	g := must.Get(galleryOf(t, "--images", dir))
	job := serve.Job{Path: table, Name: "table.csv", Settings: url.Values{"require": {"red->dark"}}}
	res := must.Get((&backend{app: a, gallery: g}).Learn(context.Background(), job, func(polydag.Progress) {}))
	linked, err := g.of(context.Background(), a, res, false)
	if err != nil || linked == nil || !linked.Linked {
		t.Fatalf("%+v, %v", linked, err)
	}
	set := linked.Data.(*pictures.Set)
	if !set.Linked || len(set.Variables) != 2 || len(set.Matches) != 1 || len(set.Matches[0].Pairs) == 0 {
		t.Fatalf("%+v, %v", set, err)
	}
	for _, p := range set.Pictures {
		file, ok := strings.CutPrefix(p.Source, "/images?file=")
		file, err := url.QueryUnescape(file)
		if !ok || err != nil || file != p.Name {
			t.Errorf("%q has the address %q", p.Name, p.Source)
		}
		var b bytes.Buffer
		must.Succeed(t, g.image(&b, file))
		if m, err := jpeg.Decode(&b); err != nil || m.Bounds().Dx() != 96 || m.Bounds().Dy() != 48 {
			t.Fatalf("%v, %v", m, err)
		}
	}
	own, err := g.of(context.Background(), a, res, true)
	if err != nil || own.Linked {
		t.Fatalf("%+v, %v", own, err)
	}
	if embedded := own.Data.(*pictures.Set); embedded.Linked || len(embedded.Pictures) != len(set.Pictures) || embedded.Bytes == 0 || len(embedded.Matches[0].Pairs) != len(set.Matches[0].Pairs) {
		t.Errorf("embedded: %+v", embedded)
	}
	// Another server finds the pictures by the table.
	for _, path := range []string{table, filepath.Join(dir, "sub")} {
		g := must.Get(galleryOf(t, "--images", dir, "--data", path))
		again, err := g.of(context.Background(), a, res, false)
		if err != nil || (again != nil) != (path == table) {
			t.Fatalf("%s: %+v, %v", path, again, err)
		}
		if one, two := marshalled(t, linked), marshalled(t, again); again != nil && one != two {
			t.Error("the pictures differ")
		}
	}
}

func marshalled(t *testing.T, set *Pictured) string {
	t.Helper()
	b := must.Get(json.Marshal(set))
	return string(b)
}

// TestServedImagesStayInside asks for files that are not images, not in the folder, or too large.
func TestServedImagesStayInside(t *testing.T) {
	table, dir := pictured(t)
	g := must.Get(galleryOf(t, "--images", dir))
	one := filepath.Join(dir, "sub", "00 a&b.png")
	b := must.Get(os.ReadFile(one))
	outside := filepath.Join(filepath.Dir(dir), "outside.png")
	bomb := bytes.Clone(b) // a header of 60000 × 60000 pixels
	copy(bomb[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})
	sum := crc32.ChecksumIEEE(bomb[12:29])
	copy(bomb[29:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	for path, text := range map[string][]byte{outside: b, filepath.Join(dir, "bomb.png"): bomb, filepath.Join(dir, "text.png"): []byte("secret words")} {
		must.Succeed(t, os.WriteFile(path, text, 0o600))
	}
	for link, to := range map[string]string{"link.png": outside, "up": filepath.Dir(dir), "same.png": filepath.Join("sub", "00 a&b.png")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links: %v", err)
		}
	}
	for name, want := range map[string]string{
		"../outside.png": "missing", "sub/../../outside.png": "missing", outside: "missing", "link.png": "missing", "up/outside.png": "missing", "": "missing", ".": "missing", "sub": "refused",
		"a\x00.png": "missing", "..\\outside.png": "missing", "sub/./00 a&b.png": "missing", "gone.png": "missing", "../" + filepath.Base(table): "missing", "text.png": "refused", "bomb.png": "refused",
		"sub/00 a&b.png": "", "same.png": "",
	} {
		var out bytes.Buffer
		got := ""
		switch err := g.image(&out, name); {
		case errors.Is(err, serve.ErrNoImage):
			got = "missing"
		case err != nil:
			got = "refused"
		}
		if got != want || (out.Len() > 0) != (want == "") {
			t.Errorf("%q: %q and %d bytes, want %q", name, got, out.Len(), want)
		}
	}
	for want, args := range map[string][]string{
		"add --images DIR": {"--data", table}, "no such file": {"--images", dir + "x"}, "want 16–512": {"--images", dir, "--thumbnails=3"}, "gone.csv": {"--images", dir, "--data", "gone.csv"},
	} {
		if _, err := galleryOf(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if g, err := galleryOf(t); g != nil || err != nil {
		t.Errorf("%v, %v", g, err)
	}
}

package command

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	xdraw "golang.org/x/image/draw"

	"github.com/polydag/polydag/images/scene"
	"github.com/polydag/polydag/internal/must"
)

// images runs one command line.
func images(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := Main(t.Context(), args, &out, &out); code != want {
		t.Fatalf("polydag-images %v: exit code %d, want %d\n%s", args, code, want, out.String())
	}
	return out.String()
}

// readTable returns the rows of a CSV file by image.
func readTable(t *testing.T, file string) (header []string, rows map[string][]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	lines := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())
	rows = map[string][]float64{}
	for _, line := range lines[1:] {
		for _, cell := range line[1:] {
			v := must.Get(strconv.ParseFloat(cell, 64))
			rows[line[0]] = append(rows[line[0]], v)
		}
	}
	return lines[0], rows
}

// TestTable classifies a folder with sub-folders, images that are turned, and files that are no images.
func TestTable(t *testing.T) {
	dir, photos := t.TempDir(), filepath.Join(t.TempDir(), "photos")
	must.Succeed(t, os.MkdirAll(filepath.Join(photos, "inner"), 0o755))
	truth := folderOf(t, photos, 60)
	must.Succeed(t, os.Rename(filepath.Join(photos, "s0003.png"), filepath.Join(photos, "inner", "s0003.png")))
	write(t, filepath.Join(photos, "bad.jpg"), []byte("no image"))
	write(t, filepath.Join(photos, "notes.txt"), []byte("no image"))
	write(t, filepath.Join(photos, "bomb.png"), bomb())
	turned(t, filepath.Join(photos, "turned.jpg"), truth["s0001.png"])

	args := append(writeModel(t, dir), photos, "--decide", "--output", filepath.Join(dir, "table.csv"), "--skipped", filepath.Join(dir, "skipped.txt"))
	said := images(t, 0, args...)
	for _, want := range []string{"preprocessing from", `"bad.jpg" skipped: not a JPEG`, `"bomb.png" skipped: 60000 × 60000 pixels`, "61 images × 9 columns", "have errors"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "skipped.txt")); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("skipped: %q, %v", text, err)
	}
	header, rows := readTable(t, filepath.Join(dir, "table.csv"))
	if !slices.Equal(header, append([]string{"classified_image"}, labels...)) {
		t.Errorf("header %v", header)
	}
	wrong := 0
	for name, want := range truth {
		if name == "s0003.png" {
			name = "inner/s0003.png"
		}
		if len(rows[name]) != attributes {
			t.Fatalf("image %s: row %v", name, rows[name])
		}
		for j, v := range rows[name] {
			if v != float64(want[j]) {
				wrong++
			}
		}
	}
	if wrong > 60*attributes/8 {
		t.Errorf("%d of %d decisions are wrong", wrong, 60*attributes)
	}
	for j, v := range rows["turned.jpg"] {
		if v != float64(truth["s0001.png"][j]) {
			t.Errorf("the turned image has %s = %v", labels[j], v)
		}
	}
}

// turned writes a scene as a JPEG image that is stored with its left side up, with the EXIF orientation 8.
func turned(t *testing.T, file string, attributes []int) {
	t.Helper()
	upright := scene.Draw(attributes, side, rand.New(rand.NewPCG(3, 3)))
	stored := image.NewRGBA(upright.Rect)
	for y := range side {
		for x := range side {
			stored.Set(side-1-y, x, upright.At(x, y)) // turning it left gives the upright image
		}
	}
	var b bytes.Buffer
	must.Succeed(t, jpeg.Encode(&b, stored, &jpeg.Options{Quality: 95}))
	exif := append([]byte("Exif\x00\x00MM\x00\x2a"), 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0)
	segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	write(t, file, slices.Concat(b.Bytes()[:2], segment, b.Bytes()[2:]))
}

// bomb is a PNG header of an image with 60000 × 60000 pixels.
func bomb() []byte {
	head := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00")
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

// TestResume: an interrupted run that is resumed on other threads writes the same bytes, and classifies changed images again.
func TestResume(t *testing.T) {
	dir, photos := t.TempDir(), t.TempDir()
	folderOf(t, photos, 40)
	model := writeModel(t, dir)
	whole, parts := filepath.Join(dir, "whole.parquet"), filepath.Join(dir, "parts.parquet")
	images(t, 0, append(model, photos, "--output", whole, "--threads", "1")...)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if code := Main(ended, append(model, photos, "--output", parts), &out, &out); code != 1 || !strings.Contains(out.String(), "the same command continues") {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	if _, err := os.Stat(parts); err == nil {
		t.Fatal("an interrupted run wrote its table")
	}
	// A killed run leaves whole lines and a part of one.
	images(t, 0, append(model, photos, "--output", parts)...)
	saved := savedOf(t, model, photos, parts)
	lines := bytes.SplitAfter(saved, []byte("\n"))
	write(t, parts+".partial", append(bytes.Join(lines[:20], nil), lines[20][:30]...))
	if said := images(t, 0, append(model, photos, "--output", parts, "--threads", "3")...); !strings.Contains(said, "19 images from an interrupted run") {
		t.Errorf("said: %s", said)
	}
	a := must.Get(os.ReadFile(whole))
	if b, err := os.ReadFile(parts); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the resumed table differs: %v", err)
	}
	if _, err := os.Stat(parts + ".partial"); err == nil {
		t.Error("the saved rows are still there")
	}
	// Other settings or a changed image do not use saved rows.
	write(t, parts+".partial", saved)
	if said := images(t, 0, append(model, photos, "--output", parts, "--crop")...); strings.Contains(said, "interrupted") {
		t.Errorf("other settings resumed: %s", said)
	}
	write(t, parts+".partial", saved)
	folderOf(t, photos, 3)
	if said := images(t, 0, append(model, photos, "--output", parts)...); !strings.Contains(said, "37 images from an interrupted run") {
		t.Errorf("changed images: %s", said)
	}
}

// savedOf returns the saved rows of a whole run, which fails to write its table.
func savedOf(t *testing.T, model []string, photos, output string) []byte {
	t.Helper()
	os.Remove(output)
	must.Succeed(t, os.MkdirAll(filepath.Join(output, "in the way"), 0o755))
	images(t, 1, append(model, photos, "--output", output)...)
	saved := must.Get(os.ReadFile(output + ".partial"))
	os.RemoveAll(output)
	return saved
}

// TestGroups: near duplicates have the same group, also as a JPEG of another size, and an image with the same attributes has another one.
func TestGroups(t *testing.T) {
	dir, photos := t.TempDir(), t.TempDir()
	folderOf(t, photos, 12)
	base := scene.Draw([]int{1, 0, 1, 0, 0, 1, 1, 1, 0}, side, rand.New(rand.NewPCG(5, 5)))
	for i, name := range []string{"x1.png", "x2.png", "x3.png"} {
		m := image.NewRGBA(base.Rect)
		draw.Draw(m, m.Rect, base, image.Point{}, draw.Src)
		m.Set(10+i, 10, color.White)
		writeImage(t, filepath.Join(photos, name), m)
	}
	large := image.NewRGBA(image.Rect(0, 0, 90, 90))
	xdraw.CatmullRom.Scale(large, large.Rect, base, base.Rect, draw.Src, nil)
	var b bytes.Buffer
	must.Succeed(t, jpeg.Encode(&b, large, &jpeg.Options{Quality: 70}))
	write(t, filepath.Join(photos, "x4.jpg"), b.Bytes())
	writeImage(t, filepath.Join(photos, "y.png"), scene.Draw([]int{1, 0, 1, 0, 0, 1, 1, 1, 0}, side, rand.New(rand.NewPCG(6, 6))))
	table, vectors := filepath.Join(dir, "table.csv"), filepath.Join(dir, "vectors.csv")
	said := images(t, 0, append(writeModel(t, dir), photos, "--output", table, "--embedding", vectors)...)
	if !strings.Contains(said, "17 images in 14 groups of near duplicates (column classified_group)") {
		t.Errorf("said: %s", said)
	}
	header, rows := readTable(t, table)
	if header[1] != "classified_group" || rows["x1.png"][0] != rows["x2.png"][0] || rows["x1.png"][0] != rows["x4.jpg"][0] || rows["x1.png"][0] == rows["y.png"][0] || rows["x1.png"][0] != rows["x3.png"][0] || rows["x1.png"][0] == rows["s0000.png"][0] {
		t.Errorf("groups %v: %v, %v, %v", header[:2], rows["x1.png"][0], rows["x2.png"][0], rows["s0000.png"][0])
	}
	if header, rows := readTable(t, vectors); len(header) != 17 || len(rows) != 17 {
		t.Errorf("vectors: %d columns and %d rows", len(header), len(rows))
	}
}

// TestFaults: every mistake has a message that says what to do.
func TestFaults(t *testing.T) {
	dir, photos, empty := t.TempDir(), t.TempDir(), t.TempDir()
	folderOf(t, photos, 2)
	model := writeModel(t, dir)
	out := filepath.Join(dir, "t.csv")
	write(t, filepath.Join(dir, "two.txt"), []byte("a\nb\n"))
	write(t, filepath.Join(dir, "same.txt"), []byte("a\na\n"))
	write(t, filepath.Join(dir, "plain.onnx"), small())
	write(t, filepath.Join(dir, "broken.onnx"), small()[:500])
	with := func(args ...string) []string { return append(slices.Clone(model), args...) }
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "want one folder", model},
		{2, "--model is missing", []string{photos}},
		{2, "--output is missing", with(photos)},
		{2, "unknown flag", with(photos, "--outputs", out)},
		{2, "has no text for the names", with(photos, "--output", filepath.Join(dir, "t.npy"))},
		{2, "no such file", with(filepath.Join(dir, "nowhere"), "--output", out)},
		{1, "no image (.jpg", with(empty, "--output", out)},
		{1, "the model has 9 outputs, and there are 2 labels", with(photos, "--output", out, "--labels", filepath.Join(dir, "two.txt"))},
		{1, `label "a" is also on line 1`, with(photos, "--output", out, "--labels", filepath.Join(dir, "same.txt"))},
		{1, "not an ONNX model", with(photos, "--output", out, "--model", filepath.Join(dir, "broken.onnx"))},
		{2, "choose the activation softmax", with(photos, "--output", out, "--model", filepath.Join(dir, "plain.onnx"))},
		{2, "the model reads 64 × 64 pixels", with(photos, "--output", out, "--size", "32x48")},
		{2, "want pixels", with(photos, "--output", out, "--size", "big")},
		{2, "want three numbers", with(photos, "--output", out, "--mean", "1,2")},
		{2, "layout \"odd\"", with(photos, "--output", out, "--layout", "odd")},
		{2, "--short has no effect", with(photos, "--output", out, "--short", "70")},
		{2, "--threshold has no effect", with(photos, "--output", out, "--threshold", "0.3")},
		{2, "needs --embedding FILE", with(photos, "--output", out, "--embedding-value", "x")},
		{1, `no value "nowhere"`, with(photos, "--output", out, "--embedding", filepath.Join(dir, "v.csv"), "--embedding-value", "nowhere")},
	} {
		if said := images(t, c.code, c.args...); !strings.Contains(said, c.want) {
			t.Errorf("%v: %q is not said:\n%s", c.args, c.want, said)
		}
	}
}

// TestOnnxruntime compares the probabilities of the trained model with those of onnxruntime, where Node finds it:
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0
//	NODE_PATH=$PWD/node_modules go test ./images/classify/command -run TestOnnxruntime
func TestOnnxruntime(t *testing.T) {
	if exec.Command("node", "-e", "require('onnxruntime-node')").Run() != nil {
		must.Missing(t, "Node does not find onnxruntime-node; npm install --ignore-scripts onnxruntime-node@1.30.0, and NODE_PATH names its node_modules")
	}
	dir, photos := t.TempDir(), t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 20
	var values []byte
	for i := range n {
		m := scene.Draw([]int{i & 1, 1, 0, i >> 1 & 1, 1, 0, 1, 1, 0}, side, rng)
		writeImage(t, filepath.Join(photos, "s"+strconv.Itoa(100+i)+".png"), m)
		for c := range 3 {
			for k := range side * side {
				values = binary.LittleEndian.AppendUint32(values, math.Float32bits((float32(m.Pix[4*k+c])/255-0.5)/0.25))
			}
		}
	}
	write(t, filepath.Join(dir, "input"), values)
	table := filepath.Join(dir, "table.csv")
	images(t, 0, append(writeModel(t, dir), photos, "--output", table)...)
	_, rows := readTable(t, table)
	script := `const ort = require('onnxruntime-node'), fs = require('fs');
(async () => {
  const session = await ort.InferenceSession.create('model.onnx'), all = new Float32Array(fs.readFileSync('input').buffer.slice(0)), out = [];
  for (let i = 0; i < all.length; i += 12288) out.push(Array.from((await session.run({input: new ort.Tensor('float32', all.slice(i, i + 12288), [1, 3, 64, 64])})).output.data));
  console.log(JSON.stringify(out));
})();`
	node := exec.Command("node", "-e", script)
	node.Dir, node.Stderr = dir, os.Stderr
	text := must.Get(node.Output())
	var scores [][]float64
	if err := json.Unmarshal(text, &scores); err != nil || len(scores) != n {
		t.Fatalf("%d rows, %v", len(scores), err)
	}
	for i, row := range scores {
		for j, s := range row {
			want := 1 / (1 + math.Exp(-s))
			if got := rows["s"+strconv.Itoa(100+i)+".png"][j]; !(math.Abs(got-want) <= 1e-5) {
				t.Errorf("image %d, label %s: %v, onnxruntime %v", i, labels[j], got, want)
			}
		}
	}
}

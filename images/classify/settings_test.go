package classify

import (
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/images/internal/onnx"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/must"
)

// TestBeside reads the preprocessing of several kinds of files beside a model.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       func(s *Settings)
	}{
		{"model.json", `{"height": 96, "width": 64, "layout": "nhwc", "bgr": true, "scale": 1, "activation": "softmax"}`, func(s *Settings) {
			s.Height, s.Width, s.Layout, s.BGR, s.Scale, s.Activation = 96, 64, ChannelsLast, true, 1, Softmax
		}},
		// google/vit-base-patch16-224
		{"preprocessor_config.json", `{"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "size": 224}`, func(s *Settings) {
			s.Height, s.Width, s.Mean, s.Std = 224, 224, [3]float64{0.5, 0.5, 0.5}, [3]float64{0.5, 0.5, 0.5}
		}},
		// google/mobilenet_v2_1.0_224
		{"preprocessor_config.json", `{"crop_size": {"height": 224, "width": 224}, "do_center_crop": true, "rescale_factor": 0.00392156862745098, "size": {"shortest_edge": 256}}`, func(s *Settings) {
			s.Height, s.Width, s.Crop, s.Short, s.Scale = 224, 224, true, 256, 0.00392156862745098
		}},
		{"preprocessor_config.json", `{"do_rescale": false, "do_normalize": false, "image_mean": [9, 9, 9], "image_std": [9, 9, 9], "size": {"height": 30, "width": 40}}`, func(s *Settings) {
			s.Height, s.Width, s.Scale = 30, 40, 1
		}},
	} {
		dir := t.TempDir()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644))
		got, want := DefaultSettings(), DefaultSettings()
		c.want(&want)
		file, err := got.Beside(filepath.Join(dir, "model.onnx"))
		got.Progress, want.Progress = nil, nil
		if err != nil || filepath.Base(file) != c.file || !same(got, want) {
			t.Errorf("%s: %+v, want %+v (%v)", c.text, got, want, err)
		}
	}
	s := DefaultSettings()
	dir := t.TempDir()
	if file, err := s.Beside(filepath.Join(dir, "model.onnx")); file != "" || err != nil {
		t.Errorf("no file: %q, %v", file, err)
	}
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "model.json"), []byte(`{"means": [1, 1, 1]}`), 0o644))
	if _, err := s.Beside(filepath.Join(dir, "model.onnx")); err == nil || !strings.Contains(err.Error(), "means") {
		t.Errorf("an unknown field: %v", err)
	}
}

func same(a, b Settings) bool {
	return a.Height == b.Height && a.Width == b.Width && a.Crop == b.Crop && a.Short == b.Short && a.Scale == b.Scale && a.Mean == b.Mean && a.Std == b.Std &&
		a.Layout == b.Layout && a.BGR == b.BGR && a.Activation == b.Activation
}

// TestInput checks the values of single pixels in both layouts, with and without a cut.
func TestInput(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 40, 20)) // red in the left quarter, green in the right one, blue between
	for y := range 20 {
		for x := range 40 {
			m.Set(x, y, color.RGBA{B: 255, A: 255})
			if x < 10 {
				m.Set(x, y, color.RGBA{R: 255, A: 255})
			} else if x >= 30 {
				m.Set(x, y, color.RGBA{G: 255, A: 255})
			}
		}
	}
	s := DefaultSettings()
	s.Height, s.Width = 10, 10
	s.Mean, s.Std = [3]float64{0.1, 0.2, 0.3}, [3]float64{0.5, 0.25, 1}
	low, high := [3]float64{-0.2, -0.8, -0.3}, [3]float64{1.8, 3.2, 0.7}
	check := func(what string, x, y int, on [3]bool) {
		t.Helper()
		values := make([]float32, 300)
		s.input(values, pictures.Photo{Pixels: m})
		for c := range 3 {
			at := c*100 + y*10 + x
			if s.Layout == ChannelsLast {
				at = (y*10+x)*3 + c
			}
			want := low[c]
			if on[c] {
				want = high[c]
			}
			if !(math.Abs(float64(values[at])-want) <= 1e-5) {
				t.Errorf("%s: channel %d at %d, %d is %v, want %v", what, c, x, y, values[at], want)
			}
		}
	}
	check("stretched", 0, 5, [3]bool{0: true})
	check("stretched", 9, 5, [3]bool{1: true})
	check("stretched", 5, 5, [3]bool{2: true})
	s.Layout = ChannelsLast
	check("channels last", 0, 5, [3]bool{0: true})
	s.Crop = true
	check("cut", 0, 5, [3]bool{2: true})
	check("cut", 9, 0, [3]bool{2: true})
	s.BGR = true
	check("blue first", 5, 5, [3]bool{0: true})
}

func TestActivate(t *testing.T) {
	e := math.E
	for _, c := range []struct {
		activation Activation
		row, want  []float64
	}{
		{None, []float64{-3, 0, 2}, []float64{-3, 0, 2}},
		{Sigmoid, []float64{-1, 0, 1}, []float64{1 / (1 + e), 0.5, e / (1 + e)}},
		{Softmax, []float64{1, 2, 3}, []float64{1 / (1 + e + e*e), e / (1 + e + e*e), e * e / (1 + e + e*e)}},
		{Softmax, []float64{1000, 1001}, []float64{1 / (1 + e), e / (1 + e)}}, // the exponentials alone overflow
	} {
		row := make([]float32, len(c.row))
		for i, v := range c.row {
			row[i] = float32(v)
		}
		(&Settings{Activation: c.activation}).activate(row)
		for i, want := range c.want {
			if !(math.Abs(float64(row[i])-want) < 1e-6) {
				t.Errorf("%s of %v: %v, want %v", c.activation, c.row, row, c.want)
				break
			}
		}
	}
}

// TestLayoutOfThreeColumns: an input of three channels and three columns has the channels first.
func TestLayoutOfThreeColumns(t *testing.T) {
	for want, shape := range map[Layout][]int{ChannelsFirst: {1, 3, 5, 3}, ChannelsLast: {1, 5, 4, 3}} {
		m := Model{Settings: DefaultSettings()}
		m.Settings.Activation = Softmax
		must.Succeed(t, m.complete(&onnx.Model{Inputs: []onnx.Port{{Shape: shape}}}))
		must.Same(t, m.Settings.Layout, want, shape)
		must.Same(t, m.Settings.Height, 5, "height of", shape)
	}
}

// TestCutOfTheShortSide: the usual preparation scales the short side to 256 pixels and cuts 224 × 224 from the middle.
func TestCutOfTheShortSide(t *testing.T) {
	s := Settings{Width: 224, Height: 224, Short: 256}
	must.Same(t, s.cut(512, 1024), image.Rect(32, 288, 480, 736), "with a short side")
	s.Short = 0
	must.Same(t, s.cut(512, 1024), image.Rect(0, 256, 512, 768), "without")
}

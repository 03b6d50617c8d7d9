package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/polydag/polydag/images/internal/onnx"
)

// A Model is a model with the names of its outputs.
type Model struct {
	Labels   []string
	Settings Settings // complete: with what the model states
	program  *onnx.Program
	key      string // identifies model, labels and settings
}

// ErrSettings is matched by errors that other settings avoid.
var ErrSettings = errors.New("settings")

// settingsError is an error that matches ErrSettings.
type settingsError struct{ error }

func (settingsError) Is(target error) bool { return target == ErrSettings }

func settingsf(format string, args ...any) error { return settingsError{fmt.Errorf(format, args...)} }

// mostModel is the largest model file.
const mostModel = 2 << 30

// Labels reads a file with one label per line.
func Labels(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []string
	seen := map[string]int{}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\r\n\t "), "\n") {
		label := strings.TrimSpace(line)
		switch first, twice := seen[label]; {
		case label == "":
			return nil, fmt.Errorf("%s:%d: an empty line; want one label per line", file, i+1)
		case twice:
			return nil, fmt.Errorf("%s:%d: label %q is also on line %d", file, i+1, label, first)
		}
		seen[label] = i + 1
		list = append(list, label)
	}
	return list, nil
}

// Open reads a model. The first output must have one number per label.
func Open(file string, labels []string, s Settings) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, settingsError{err}
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostModel {
		return nil, fmt.Errorf("%s: %d bytes, limit %d", file, info.Size(), mostModel)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	graph, err := onnx.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m := &Model{Labels: labels, Settings: s}
	if err := m.complete(graph); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	outputs := []string{graph.Outputs[0].Name}
	if s.Vectors {
		outputs = append(outputs, m.Settings.Feature)
	}
	if m.program, err = graph.Compile(outputs...); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := m.try(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m.key, err = m.fingerprint(text)
	return m, err
}

// complete fills in the settings that the model states.
func (m *Model) complete(graph *onnx.Model) error {
	s := &m.Settings
	shape := []int{-1, -1, -1, -1}
	if len(graph.Inputs) == 1 && graph.Inputs[0].Shape != nil {
		shape = graph.Inputs[0].Shape
	}
	if len(shape) != 4 {
		return fmt.Errorf("the input has shape %v; want four axes: images, channels, rows and columns", shape)
	}
	if shape[0] > 1 {
		return fmt.Errorf("the model reads %d images at a time; export it with one image or an open number", shape[0])
	}
	if s.Layout == FromModel {
		if s.Layout = ChannelsFirst; shape[3] == 3 && shape[1] != 3 {
			s.Layout = ChannelsLast
		}
	}
	rows, columns, channels := shape[2], shape[3], shape[1]
	if s.Layout == ChannelsLast {
		rows, columns, channels = shape[1], shape[2], shape[3]
	}
	if channels != 3 && channels != -1 {
		return fmt.Errorf("the model reads %d channels, want 3", channels)
	}
	for _, side := range []struct {
		to    *int
		model int
	}{{&s.Height, rows}, {&s.Width, columns}} {
		switch {
		case *side.to == 0 && side.model < 1:
			return settingsf("the model does not state the size of its input; give the size")
		case *side.to == 0:
			*side.to = side.model
		case side.model > 0 && *side.to != side.model:
			return settingsf("the model reads %d × %d pixels, not %d × %d", rows, columns, s.Height, s.Width)
		}
	}
	if s.Activation == Auto {
		if s.Activation = None; !slices.Contains([]string{"Softmax", "Sigmoid", "HardSigmoid"}, graph.Last()) {
			return settingsf("the model does not end with a softmax or sigmoid; choose the activation softmax (each image has one label) or sigmoid (labels are independent)")
		}
	}
	if s.Vectors && s.Feature == "" {
		if s.Feature = graph.Feature(); s.Feature == "" {
			return settingsf("the model has no linear layer; name the value with the vector of an image")
		}
	}
	return nil
}

// try runs the model on one image, to find out whether it fits the labels before thousands are read.
func (m *Model) try() error {
	s := &m.Settings
	out, err := m.program.Session().Run(s.tensor(make([]float32, 3*s.Height*s.Width)))
	if err != nil {
		return err
	}
	if n := len(out[0].F); n != len(m.Labels) {
		return fmt.Errorf("the model has %d outputs, and there are %d labels", n, len(m.Labels))
	}
	if s.Vectors && len(out[1].F) == 0 {
		return settingsf("value %q is not a vector of numbers", s.Feature)
	}
	return nil
}

// tensor returns the input of the model for one image.
func (s *Settings) tensor(values []float32) *onnx.Tensor {
	if s.Layout == ChannelsLast {
		return &onnx.Tensor{Shape: []int{1, s.Height, s.Width, 3}, F: values}
	}
	return &onnx.Tensor{Shape: []int{1, 3, s.Height, s.Width}, F: values}
}

// fingerprint identifies what the row of an image depends on.
func (m *Model) fingerprint(model []byte) (string, error) {
	settings, err := json.Marshal(m.Settings)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(model)
	h.Write(settings)
	fmt.Fprintf(h, "%q %q", m.Labels, m.Settings.Feature)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// exclusive reports whether each image has one label.
func (m *Model) exclusive(row []float32) bool {
	sum := float32(0)
	for _, v := range row {
		sum += v
	}
	return m.Settings.Activation == Softmax || m.Settings.Activation == None && sum > 0.999 && sum < 1.001
}

// best returns the index of the largest value.
func best(row []float32) int { return slices.Index(row, slices.Max(row)) }

package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Settings say how an image becomes the input of a model, and the output of the model a row of a table. The fields of a
// JSON file beside the model have the names in the tags.
type Settings struct {
	Height int        `json:"height"` // height of the input in pixels; 0 takes it from the model
	Width  int        `json:"width"`
	Crop   bool       `json:"crop"`  // keep the proportions and cut off the longer side; otherwise stretch
	Short  int        `json:"short"` // with Crop, the shorter side before the cut; 0 cuts as little as possible
	Scale  float64    `json:"scale"` // factor of the values 0–255
	Mean   [3]float64 `json:"mean"`  // subtracted after Scale
	Std    [3]float64 `json:"std"`   // divided by after Mean
	Layout Layout     `json:"layout"`
	BGR    bool       `json:"bgr"` // blue first

	Activation Activation `json:"activation"`
	Decide     bool       `json:"-"` // write decisions instead of probabilities
	Threshold  float64    `json:"-"` // least probability of a decision

	Vectors bool    `json:"-"` // also return the vectors of the images
	Feature string  `json:"-"` // value of the model with the vector; empty for the input of the last linear layer
	Near    float64 `json:"-"` // largest difference of near duplicates, 0–1

	Threads int `json:"-"`
	// Progress, if not nil, is called after each image.
	Progress func(done, all int) `json:"-"`
}

// A Layout is the order of the axes of an input.
type Layout string

// These are the layouts. FromModel takes the axis of length 3 of the model's input for the channels.
const (
	FromModel     Layout = ""
	ChannelsFirst Layout = "nchw"
	ChannelsLast  Layout = "nhwc"
)

// An Activation turns the output of a model into probabilities.
type Activation string

// These are the activations. Auto is None for a model that ends with an activation.
const (
	Auto    Activation = ""
	None    Activation = "none"
	Sigmoid Activation = "sigmoid" // labels are independent of each other
	Softmax Activation = "softmax" // each image has one label
)

// DefaultSettings returns the settings of a model without a JSON file.
func DefaultSettings() Settings {
	return Settings{Scale: 1.0 / 255, Std: [3]float64{1, 1, 1}, Threshold: 0.5, Near: 0.02, Threads: 1}
}

// Validate reports settings out of their range.
func (s Settings) Validate() error {
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	const most = 4096
	refuse(s.Height < 0 || s.Height > most || s.Width < 0 || s.Width > most, "size %d × %d, want 1–%d pixels", s.Height, s.Width, most)
	refuse(s.Short < 0 || s.Short > 2*most, "shorter side %d, want 1–%d pixels", s.Short, 2*most)
	refuse(!(s.Scale > 0), "scale %v, want > 0", s.Scale)
	for _, v := range s.Std {
		refuse(!(v > 0), "standard deviation %v, want > 0", v)
	}
	for _, v := range s.Mean {
		refuse(v-v != 0, "mean %v", v)
	}
	refuse(s.Layout != FromModel && s.Layout != ChannelsFirst && s.Layout != ChannelsLast, "layout %q, want nchw or nhwc", s.Layout)
	refuse(s.Activation != Auto && s.Activation != None && s.Activation != Sigmoid && s.Activation != Softmax, "activation %q, want none, sigmoid or softmax", s.Activation)
	refuse(!(s.Threshold > 0 && s.Threshold < 1), "threshold %v, want above 0 and below 1", s.Threshold)
	refuse(!(s.Near > 0 && s.Near <= 1), "difference of near duplicates %v, want above 0 and at most 1", s.Near)
	return errors.Join(errs...)
}

// Beside reads the JSON file beside a model: the model's name with the extension .json, or preprocessor_config.json as in
// repositories of the Hugging Face hub. It returns the name of the file, empty if there is none.
func (s *Settings) Beside(model string) (string, error) {
	own := strings.TrimSuffix(model, filepath.Ext(model)) + ".json"
	for _, file := range []string{own, filepath.Join(filepath.Dir(model), "preprocessor_config.json")} {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil && file == own {
			d := json.NewDecoder(bytes.NewReader(text))
			d.DisallowUnknownFields()
			err = d.Decode(s)
		} else if err == nil {
			err = s.hub(text)
		}
		if err != nil {
			return file, fmt.Errorf("%s: no settings of the model, which are read from the JSON file beside it; correct or rename it: %w", file, err)
		}
		return file, nil
	}
	return "", nil
}

// hub reads the file preprocessor_config.json.
func (s *Settings) hub(text []byte) error {
	var c struct {
		Size      hubSize     `json:"size"`
		CropSize  hubSize     `json:"crop_size"`
		Crop      *bool       `json:"do_center_crop"`
		Rescale   *bool       `json:"do_rescale"`
		Factor    *float64    `json:"rescale_factor"`
		Normalize *bool       `json:"do_normalize"`
		Mean      *[3]float64 `json:"image_mean"`
		Std       *[3]float64 `json:"image_std"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	s.Height, s.Width = c.Size.Height, c.Size.Width
	if c.Size.Short > 0 {
		s.Crop, s.Short, s.Height, s.Width = true, c.Size.Short, c.Size.Short, c.Size.Short
	}
	if (c.Crop == nil || *c.Crop) && c.CropSize.Height > 0 {
		if s.Crop, s.Height, s.Width = true, c.CropSize.Height, c.CropSize.Width; c.Size.Short == 0 {
			s.Short = c.Size.Height
		}
	}
	if c.Rescale != nil && !*c.Rescale {
		s.Scale = 1
	} else if c.Factor != nil {
		s.Scale = *c.Factor
	}
	if (c.Normalize == nil || *c.Normalize) && c.Mean != nil && c.Std != nil {
		s.Mean, s.Std = *c.Mean, *c.Std
	}
	return nil
}

// hubSize is a size in preprocessor_config.json: a number, or an object.
type hubSize struct{ Height, Width, Short int }

func (z *hubSize) UnmarshalJSON(text []byte) error {
	var side int
	if json.Unmarshal(text, &side) == nil {
		z.Height, z.Width = side, side
		return nil
	}
	var o struct {
		Height int `json:"height"`
		Width  int `json:"width"`
		Short  int `json:"shortest_edge"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	*z = hubSize{o.Height, o.Width, o.Short}
	return nil
}

package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/images/classify"
)

// settings joins the JSON file beside the model and the flags, which take precedence.
func (o *options) settings(cmd *cobra.Command) (classify.Settings, error) {
	s := classify.DefaultSettings()
	beside, err := s.Beside(o.model)
	if err != nil {
		return s, err
	}
	if beside != "" && !o.quiet {
		fmt.Fprintf(o.err, "note: preprocessing from %s\n", beside)
	}
	given := cmd.Flags().Changed
	if given("size") {
		if s.Height, s.Width, err = sizeOf(o.size); err != nil {
			return s, err
		}
	}
	for flag, to := range map[string]struct {
		text string
		to   *[3]float64
	}{"mean": {o.mean, &s.Mean}, "std": {o.std, &s.Std}} {
		if given(flag) {
			if *to.to, err = three(flag, to.text); err != nil {
				return s, err
			}
		}
	}
	if given("crop") {
		s.Crop = o.Crop
	}
	if given("short") {
		if s.Short = o.Short; !s.Crop {
			return s, usagef("--short has no effect without --crop")
		}
	}
	if given("scale") {
		s.Scale = o.Scale
	}
	if given("layout") {
		s.Layout = classify.Layout(o.layout)
	}
	if given("bgr") {
		s.BGR = o.BGR
	}
	if given("activation") {
		s.Activation = classify.Activation(o.activation)
	}
	if given("threshold") && !o.Decide {
		return s, usagef("--threshold has no effect without --decide")
	}
	s.Decide, s.Threshold, s.Vectors, s.Feature, s.Near, s.Threads = o.Decide, o.Threshold, o.Vectors, o.Feature, o.Near, o.Threads
	return s, nil
}

// sizeOf reads 224 or 224x192, height first.
func sizeOf(text string) (height, width int, err error) {
	first, second, both := strings.Cut(text, "x")
	if !both {
		second = first
	}
	height, err = strconv.Atoi(first)
	if err == nil {
		width, err = strconv.Atoi(second)
	}
	if err != nil || height < 1 || width < 1 {
		return 0, 0, usagef("--size %s: want pixels, as 224 or 224x192", text)
	}
	return height, width, nil
}

// three reads one number for all channels, or one for each.
func three(flag, text string) (out [3]float64, err error) {
	parts := strings.Split(text, ",")
	for c := range out {
		part := parts[0]
		if len(parts) == 3 {
			part = parts[c]
		}
		if out[c], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil || len(parts) != 1 && len(parts) != 3 {
			return out, usagef("--%s %s: want three numbers with commas, or one", flag, text)
		}
	}
	return out, nil
}

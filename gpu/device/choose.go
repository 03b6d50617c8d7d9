package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Choice is the device on which continuous methods take their steps: cpu, auto (a GPU if available), or cuda
// with the index of a GPU.
type Choice struct {
	Card int  // index of the GPU for cuda
	Must bool // fail if the device cannot be used
	Here bool // use the CPU
}

// Parse parses a choice as users write it: cpu, auto, cuda or cuda:N.
func Parse(text string) (Choice, error) {
	switch text {
	case "cpu":
		return Choice{Here: true}, nil
	case "auto":
		return Choice{}, nil
	case "cuda":
		return Choice{Must: true}, nil
	}
	if number, ok := strings.CutPrefix(text, "cuda:"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return Choice{Card: n, Must: true}, nil
		}
	}
	return Choice{}, fmt.Errorf("%q is not a device; want cpu, auto, cuda, or cuda:N with the number of a card", text)
}

// Open opens the chosen device. It returns nil for the CPU. why is the reason if auto finds no
// usable GPU.
func (c Choice) Open() (d *Device, why string, err error) {
	if c.Here {
		return nil, "", nil
	}
	d, err = Open(c.Card)
	if err != nil && !c.Must && errors.Is(err, ErrUnavailable) {
		return nil, err.Error(), nil
	}
	if err == nil {
		d.Optional = !c.Must
	}
	return d, "", err
}

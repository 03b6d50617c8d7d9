package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Choice says where continuous methods take their steps: cpu, auto (a card where there is one), or cuda with the number of a card.
type Choice struct {
	Card int  // of cuda
	Must bool // fail where it cannot be used
	Here bool // on the processor
}

// Parse reads a choice as a user writes it.
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

// Open opens what was chosen. It returns nil for the processor, with the reason where a card was looked for and none can be used.
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

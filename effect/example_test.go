package effect_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/demo"
)

// region ask
func ExampleAsk() {
	ctx := context.Background()
	data, err := files.ReadCSV(ctx, bytes.NewReader(demo.Data), files.DefaultCSVSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := polydag.FromMoments(data).Learn(ctx, polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := effect.NewQuestion("guests_today", "ice_cream_scoops")
	a, err := effect.Ask(ctx, res, nil, q) // with the table instead of nil, graphs are learned again
	if err != nil {
		fmt.Println(err)
		return
	}
	total := a.Effects[0].Total
	fmt.Printf("%s: %.2f, from %.2f to %.2f, given %q\n", a.Identification, total.Value, *total.Low, *total.High, a.Adjustment.Set)
	// Output: identified: 1.03, from 0.96 to 1.09, given ["mist"]
}

// endregion

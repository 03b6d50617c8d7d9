package polydag_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method/order"
	continuous "github.com/polydag/polydag/method/polydag"
)

// The regions of this file are the code of docs/guides/embed.md, and the first one is the code of the package comment. Tests compare
// them.

// region rows
func Example() {
	names, rows := []string{"age", "dose", "outcome"}, load() // rows is a [][]float64
	table, err := polydag.FromRows(names, rows)
	if err != nil {
		log.Fatal(err)
	}
	res, err := polydag.Learn(context.Background(), table)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range res.Claimed().Edges {
		fmt.Printf("%s %s %s: effect %.1f, confidence %.2f\n", e.From, e.Mark, e.To, e.Weight, e.Confidence)
	}
	// Output:
	// age --> outcome: effect -0.5, confidence 0.96
	// dose --> outcome: effect 0.8, confidence 0.96
}

// endregion

func Example_file() {
	ctx := context.Background()
	in, err := files.Open("internal/demo/data.csv", nil, files.DefaultSettings()) // your table, of any format
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	table, err := polydag.Prepare(ctx, in, polydag.DefaultPreparation())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := table.Learn(ctx, polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range res.Edges {
		fmt.Printf("%s %s %s %+.2f: %s\n", e.From, e.Mark, e.To, e.Weight, e.Verdict)
	}
	fmt.Println("order:", res.Certificate.Order)
	// Output:
	// mist --> moss +0.70: directed
	// mist --> dry_soil -1.27: directed
	// mist --> guests_today -1.10: directed
	// mist --> ice_cream_scoops -0.84: directed
	// light --> moss -0.56: directed
	// light --> guests_today +0.57: directed
	// light --> lamps_lit -1.15: directed
	// dry_soil --> mushroom -0.91: directed
	// guests_today --> ice_cream_scoops +1.03: directed
	// order: [mist dry_soil mushroom light guests_today ice_cream_scoops moss lamps_lit]
}

// region memory
func ExampleTable_Learn() {
	table, err := polydag.FromRows([]string{"dose", "marker", "outcome"}, chain(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := polydag.DefaultConfig()
	method := order.New()
	method.Variance = order.Unequal
	cfg.Method = method
	show := func() {
		res, err := table.Learn(context.Background(), cfg, polydag.Run{})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range res.Edges {
			fmt.Printf("%s → %s: %s\n", e.From, e.To, e.Verdict)
		}
	}

	cfg.Knowledge = knowledge.Spec{Tiers: [][]string{{"dose"}, {"marker", "outcome"}}}
	show()

	cfg.Knowledge = knowledge.Spec{Require: []string{"dose->marker", "marker->dose"}}
	show()
	// Output:
	// dose → marker: directed
	// marker → outcome: directed
	// the required edges close a cycle: dose → marker → dose; drop one of them
}

// endregion

// region limits
func ExampleObserver() {
	table, err := polydag.FromRows([]string{"dose", "marker", "outcome"}, chain(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg := polydag.DefaultConfig()
	cfg.Method = continuous.New()
	res, err := table.Learn(ctx, cfg, polydag.Run{Observe: func(p polydag.Progress) {
		if p.Step == 5 { // a timeout, Ctrl-C or the program ends a run early
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) { // the error of ctx comes with the best result so far
		fmt.Println(err)
		return
	}
	fmt.Println(res.Status, res.Cause, "at step", res.Continuous.Steps)
	fmt.Println("still a DAG:", res.Certificate.Holds)
	// Output:
	// canceled interrupted at step 5
	// still a DAG: true
}

// endregion

// load draws 500 rows of age → outcome ← dose.
func load() [][]float64 {
	rng := sim.Stream(2, sim.StreamNoise)
	rows := make([][]float64, 500)
	for i := range rows {
		age, dose := rng.NormFloat64(), rng.NormFloat64()
		rows[i] = []float64{age, dose, 0.8*dose - 0.5*age + 0.7*rng.NormFloat64()}
	}
	return rows
}

// chain draws n rows of dose → marker → outcome.
func chain(n int) [][]float64 {
	rng := sim.Stream(1, sim.StreamNoise)
	rows := make([][]float64, n)
	for i := range rows {
		dose := rng.NormFloat64()
		marker := 0.8*dose + 0.5*rng.NormFloat64()
		rows[i] = []float64{dose, marker, -1.5*marker + 2*rng.NormFloat64()}
	}
	return rows
}

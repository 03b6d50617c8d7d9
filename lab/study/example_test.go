package study_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/polydag/polydag/lab/study"
)

const mine = `
name: mine
methods:
  order: {label: order search, method: order}
experiments:
  - name: small
    title: Small graphs
    data: [{graph: er, nodes: [6], degree: [2], samples: 500, label: "d = {d}"}]
    methods: [order]
    seeds: [1, 2]
    columns: [shd, f1]
`

func Example() {
	st, err := study.Read(strings.NewReader(mine))
	if err != nil {
		log.Fatal(err)
	}
	runs, err := st.Expand(study.Select{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	j, err := study.OpenJournal(filepath.Join(dir, "records.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	if _, err := study.Execute(context.Background(), runs, j, study.Execution{Jobs: 2}); err != nil {
		log.Fatal(err)
	}
	for _, t := range study.Tables(st, study.Select{}, j.Records()) {
		if err := t.Markdown(os.Stdout); err != nil {
			log.Fatal(err)
		}
	}
	again, err := study.Execute(context.Background(), runs, j, study.Execution{Jobs: 2})
	fmt.Println(again.Ran, "runs the second time", err)
	// Output:
	// **Small graphs**
	//
	// | data | method | SHD | F1 | runs |
	// |---|---|---|---|---|
	// | d = 6 | order search | 0 | 1.000 ± 0.000 | 2 |
	// 0 runs the second time <nil>
}

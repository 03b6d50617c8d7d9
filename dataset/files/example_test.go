package files_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
)

func Example() {
	// The name has no extension; the content is JSON lines.
	table := `{"age": 31, "income": 2100, "city": "Bern"}
{"age": 45, "income": 3300, "city": "Graz"}
{"age": 52, "income": 2900, "city": "Bern"}
`
	in, err := files.Open("-", strings.NewReader(table), files.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	how := polydag.DefaultPreparation()
	how.Encode = "onehot"
	got, err := polydag.Prepare(context.Background(), in, how)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Format, got.Moments.N, got.Moments.Names)
	// Output: jsonl 3 [age income city=Graz]
}

func ExampleWriteMoments() {
	read := func(table string) *dataset.Moments {
		m, err := files.ReadCSV(context.Background(), strings.NewReader(table), files.DefaultCSVSettings())
		if err != nil {
			panic(err)
		}
		return m
	}
	monday, tuesday := read("a,b\n1,2\n3,5\n"), read("a,b\n2,2\n6,9\n")

	var file bytes.Buffer
	if err := files.WriteMoments(&file, monday, nil); err != nil {
		fmt.Println(err)
	}
	saved, _, err := files.ReadMoments("monday.npz", bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := saved.Merge(tuesday); err != nil {
		fmt.Println(err)
	}
	fmt.Println(saved.N, saved.Mean)
	// Output: 4 [3 4.5]
}

func ExampleOpen_refusal() {
	_, err := files.Open("-", strings.NewReader("<!doctype html><title>Sign in</title>"), files.DefaultSettings())
	fmt.Println(err)
	// Output: standard input: is not a supported format (it is a web page, perhaps one that asks to log in: download the table itself); export the table as CSV or Parquet
}

func ExampleReadCSV() {
	file := strings.NewReader("dose,response\n1,2\n2,4\n3,9\n")
	m, err := files.ReadCSV(context.Background(), file, files.DefaultCSVSettings())
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	s := m.Covariance()
	fmt.Println(m.Names, m.N, m.Mean)
	fmt.Printf("%.3f %.3f\n", s.Row(0), s.Row(1))
	// Output:
	// [dose response] 3 [2 5]
	// [0.667 2.333] [2.333 8.667]
}

func ExampleReadCSV_fault() {
	opt := files.DefaultCSVSettings()
	opt.File = "trial.csv"
	_, err := files.ReadCSV(context.Background(), strings.NewReader("dose,response\n1,2\n2,n/a\n"), opt)
	fmt.Println(err)
	// Output:
	// trial.csv: line 3, row 2, column 2 (response): "n/a" is a missing value; drop the row or fill in a number
}

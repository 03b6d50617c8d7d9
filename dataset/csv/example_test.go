package csv_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/matrix"
)

// ExampleOpen reads a table of European Excel with a missing value and a text column.
func ExampleOpen() {
	file := strings.NewReader("dose;response;group\n0,5;1,25;a\n1,5;;b\n")
	s, err := csv.Open(file, csv.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, c := range s.Columns() {
		fmt.Println(c.Name, c.Kind)
	}
	var b dataset.Batch
	for {
		err := s.Next(context.Background(), &b)
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(b.Rows, b.Values)
		for _, c := range b.Cells {
			fmt.Printf("row %d, column %d, line %d: %s\n", c.Row, c.Column, c.Line, b.Text[c.Start:c.End])
		}
	}
	// Output:
	// dose unknown
	// response unknown
	// group unknown
	// 2 [0.5 1.25 NaN 1.5 NaN NaN]
	// row 0, column 2, line 2: a
	// row 1, column 2, line 3: b
}

func ExampleWrite() {
	x := matrix.Of(2, 2, []float64{1, 0.5, -2, 1e-9})
	if err := csv.Write(os.Stdout, []string{"a", "b,c"}, dataset.RowsOf(x)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a,"b,c"
	// 1,0.5
	// -2,1e-09
}

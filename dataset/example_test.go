package dataset_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

func ExampleReadCSV() {
	file := strings.NewReader("dose,response\n1,2\n2,4\n3,9\n")
	m, err := dataset.ReadCSV(context.Background(), file, dataset.DefaultCSVOptions())
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
	opt := dataset.DefaultCSVOptions()
	opt.File = "trial.csv"
	_, err := dataset.ReadCSV(context.Background(), strings.NewReader("dose,response\n1,2\n2,n/a\n"), opt)
	fmt.Println(err)
	// Output:
	// dataset: trial.csv: line 3, row 2, column 2 (response): "n/a" is a missing value; drop the row or fill in a number
}

func ExampleMoments_Merge() {
	a, b := dataset.NewMoments([]string{"x", "y"}), dataset.NewMoments([]string{"x", "y"})
	_ = a.AddBlock([]float64{1, 2, 3, 6})
	_ = b.AddBlock([]float64{5, 10})
	_ = a.Merge(b)
	fmt.Println(a.N, a.Mean, a.Scatter)
	// Output:
	// 3 [3 6] [8 16 16 32]
}

func ExampleWriteCSV() {
	x := matrix.Of(2, 2, []float64{1, 0.5, -2, 1e-9})
	if err := dataset.WriteCSV(os.Stdout, []string{"a", "b,c"}, dataset.RowsOf(x)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a,"b,c"
	// 1,0.5
	// -2,1e-09
}

func ExampleReadEdges() {
	edges, err := dataset.ReadEdges(strings.NewReader("from,to\nsmoking,tar\ntar,canser\n"), []string{"smoking", "tar", "cancer"})
	fmt.Println(edges, err)
	// Output:
	// [] dataset: line 3, row 2, column 2 (to): "canser" is no column of the table; check the spelling
}

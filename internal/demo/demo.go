// Package demo holds the two tables of polydag demo. Data is simulated from a known graph over eight invented columns: days in a
// park. Diabetes is real.
package demo

import _ "embed"

// Data is the table: 500 rows, a column an attribute.
//
//go:embed data.csv
var Data []byte

// Truth is the graph that the table was simulated from, with the header from,to,weight.
//
//go:embed truth.csv
var Truth []byte

//go:generate go run ../../packaging/generate/demo.go

// Diabetes is the diabetes table of Efron, Hastie, Johnstone and Tibshirani (2004): 442 patients, ten measurements at
// baseline and the progression of the disease one year later. The numbers are those of scikit-learn's file
// diabetes_data_raw.csv; NOTICE has the attribution.
//
//go:embed diabetes.csv
var Diabetes []byte

// DiabetesDrop matches the columns that are computed from others: total cholesterol contains HDL and LDL, and the ratio is
// total cholesterol divided by HDL.
var DiabetesDrop = []string{"cholesterol*"}

// DiabetesTiers is the order in which the columns of Diabetes come about: no later column is a cause of an earlier one.
var DiabetesTiers = [][]string{
	{"age", "sex"},
	{"bmi", "blood_pressure", "ldl", "hdl", "log_triglycerides", "glucose"},
	{"progression"},
}

package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
)

var plural = names.Count

// list joins names with commas and "and". Beyond most names it lists the first ones and counts the others.
func list(names []string, most int) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > most:
		few := max(most-1, 1)
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), n-few)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// number formats a figure with the given number of significant digits, without an exponent if that is short.
func number(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	if a := math.Abs(v); a >= 1e-4 && a < 1e9 {
		r, _ := strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(r, 'f', -1, 64)
	}
	return s
}

// percent formats a share, with more digits near 0 and 1.
func percent(v float64) string {
	for digits := 1; digits < 6; digits++ {
		if s := strconv.FormatFloat(100*v, 'f', digits, 64); v <= 0 || v >= 1 || s != strconv.FormatFloat(0, 'f', digits, 64) && s != strconv.FormatFloat(100, 'f', digits, 64) {
			return s + "%"
		}
	}
	return number(100*v, 2) + "%"
}

// rows formats a number of rows.
func rows(n int) string { return plural(n, "row") }

// form returns the form of a word for a number of things.
func form(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

func is(n int) string { return form(n, "is", "are") }

func has(n int) string { return form(n, "has", "have") }

// ranked lists names with a figure each, the largest absolute figure first, at most six.
func ranked(names []string, figure []float64, write func(float64) string) string {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(figure[b]), math.Abs(figure[a])) })
	words := make([]string, len(names))
	for i, k := range order {
		words[i] = names[k] + " " + write(figure[k])
	}
	return list(words, 6)
}

// unidentified is the advice where no other model is better.
func unidentified() fault.Way {
	return fault.Out("the model does not identify directions at these columns; give an order of the columns with %s", fault.Use("order"))
}

package trust_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// share returns a column with value a in the given number of rows and b in the others.
func share(n, k int, a, b float64) []float64 {
	return counter(n, func(i int) float64 {
		if i*7919%n < k {
			return a
		}
		return b
	})
}

// lognormal has a skewness that grows with sigma.
func lognormal(n int, sigma float64) []float64 {
	return of(func(v []float64) float64 { return math.Exp(sigma * v[0]) }, gauss(n, 9))
}

// noisy is x plus as much of a fresh draw as leaves the given share of its variance.
func noisy(x []float64, left float64, seed uint64) []float64 {
	return of(func(v []float64) float64 { return v[0] + math.Sqrt(left/(1-left))*v[1] }, x, gauss(len(x), seed))
}

func textColumn(name string, distinct int) dataset.ColumnProfile {
	return dataset.ColumnProfile{Name: name, Kind: "text", Distinct: distinct, Dropped: "text in 400 cells"}
}

func missing(name string, k int) func(*dataset.Profile) {
	return func(p *dataset.Profile) {
		for i := range p.Columns {
			if p.Columns[i].Name == name {
				p.Columns[i].Missing = k
			}
		}
	}
}

func repeated(k int) func(*dataset.Profile) {
	return func(p *dataset.Profile) { p.RepeatedRows = k }
}

// coded makes two columns of the table those of a text column.
func coded(p *dataset.Profile) {
	for i := range p.Columns {
		if c := &p.Columns[i]; strings.HasPrefix(c.Name, "city=") {
			c.From, c.Kind = "city", "bool"
		}
	}
}

// counts is a table with the combinations of two and six values, and a count for each. From row k on, the first combination repeats.
func counts(name string, k int) *table {
	at := func(i int) int {
		if i >= k {
			return 0
		}
		return i
	}
	return new(table).with("sex", counter(12, func(i int) float64 { return float64(at(i) % 2) })).
		with("dose", counter(12, func(i int) float64 { return float64(at(i) / 2) })).
		with(name, counter(12, func(i int) float64 { return float64(i * i) }))
}

const n = 400

// Every code: a table that has it, with its severity, columns and words, and one that just has not.
var cases = []struct {
	name     string
	code     string
	refuse   trust.Refusals
	has      *table
	not      *table
	severity trust.Severity
	columns  []string
	sentence string // regular expression
	wayOut   string
}{
	{name: "two rows", code: trust.TooFewRows, has: plainTable(2), not: plainTable(30),
		severity: trust.Error, sentence: `2 rows; at least 3`, wayOut: `add rows`},
	{name: "29 rows", code: trust.TooFewRows, has: plainTable(29), not: plainTable(30),
		severity: trust.Warning, sentence: `the table has 29 rows, .*beyond ±0\.33`, wayOut: `add rows`},
	{name: "one column", code: trust.TooFewColumns, has: new(table).with("u", gauss(n, 1)), not: plainTable(n),
		severity: trust.Error, sentence: `1 usable column \(u\); at least 2 are needed`, wayOut: `encode=onehot`},
	{name: "one column beside text", code: trust.TooFewColumns,
		has: lead(new(table).with("u", gauss(n, 1)), textColumn("city", 12)), not: lead(plainTable(n), textColumn("city", 12)),
		severity: trust.Error, columns: []string{"city"}, sentence: `city is text$`, wayOut: `encode text with encode=onehot \(one column per category\) or encode=ordinal \(sorted order\); if a column should be numeric, correct the cell that the finding names, or use na=WORD if it marks a missing value`},
	{name: "infinite", code: trust.NotFinite,
		has:      edited(plainTable(n), func(p *dataset.Profile) { c := &p.Columns[1]; c.Infinite, c.InfiniteRow, c.Place = 3, 17, 4 }),
		not:      plainTable(n),
		severity: trust.Error, columns: []string{"v"}, sentence: `v \(column 4\) in 3 rows, first in row 17`, wayOut: `na=inf.* or drop=v$`},
	{name: "frequencies", code: trust.Frequencies,
		has: counts("Freq", 12), not: counts("Income", 12),
		severity: trust.Warning, columns: []string{"Freq"}, sentence: `^each combination of sex and dose occurs once, so Freq seems`, wayOut: `^frequencies=Freq `},
	{name: "frequencies of a combination that is missing", code: trust.Frequencies,
		has: counts("n", 12), not: edited(counts("n", 12), func(p *dataset.Profile) { p.Columns[1].Distinct = 5 }),
		severity: trust.Warning, columns: []string{"n"}, sentence: `so n seems`, wayOut: `^frequencies=n `},
	{name: "frequencies of a combination that occurs twice", code: trust.Frequencies,
		has: counts("COUNT", 12), not: counts("COUNT", 11),
		severity: trust.Warning, columns: []string{"COUNT"}, sentence: `so COUNT seems`, wayOut: `^frequencies=COUNT `},
	{name: "no rows fewer than columns", code: trust.FewerRows,
		has: wide(40, 40), not: wide(41, 40),
		severity: trust.Warning, sentence: `40 rows for 40 columns`, wayOut: `drop`},
	{name: "constant", code: trust.Constant,
		has:      plainTable(n).with("site", counter(n, func(int) float64 { return 3 })),
		not:      plainTable(n).with("site", share(n, 1, 4, 3)),
		severity: trust.Error, columns: []string{"site"}, sentence: `site \(3\) is constant`, wayOut: `^drop=site$`},
	{name: "variance underflows", code: trust.Constant,
		has:      plainTable(n).with("tiny", of(func(v []float64) float64 { return 1e-200 * v[0] }, gauss(n, 3))),
		not:      plainTable(n).with("tiny", of(func(v []float64) float64 { return 1e-120 * v[0] }, gauss(n, 3))),
		severity: trust.Error, columns: []string{"tiny"}, sentence: `variance is 0`, wayOut: `power of ten`},
	{name: "two constants", code: trust.Constant,
		has:      plainTable(n).with("site a", counter(n, func(int) float64 { return 3 })).with("it's", counter(n, func(int) float64 { return -0.5 })),
		not:      plainTable(n),
		severity: trust.Error, columns: []string{"site a", "it's"}, sentence: `site a \(3\) and it's \(-0\.5\) are`, wayOut: `^drop="site a",it's$`},
	{name: "empty", code: trust.Empty,
		has:      &table{names: plainTable(n).names, columns: plainTable(n).columns, before: []dataset.ColumnProfile{{Name: "note", Kind: "unknown", Missing: n, Dropped: "empty"}}},
		not:      &table{names: plainTable(n).names, columns: plainTable(n).columns, before: []dataset.ColumnProfile{{Name: "note", Kind: "number", Missing: n - 1, Dropped: "empty"}}},
		severity: trust.Error, columns: []string{"note"}, sentence: `note has no value`, wayOut: `^drop=note$`},
	{name: "only infinities", code: trust.NotFinite,
		has:      &table{names: plainTable(n).names, columns: plainTable(n).columns, before: []dataset.ColumnProfile{{Name: "rate", Kind: "unknown", Missing: 1, Infinite: n - 1, InfiniteRow: 2, Place: 3, Dropped: "no finite value"}}},
		not:      &table{names: plainTable(n).names, columns: plainTable(n).columns, before: []dataset.ColumnProfile{{Name: "rate", Kind: "unknown", Missing: n, Dropped: "no value"}}},
		severity: trust.Error, columns: []string{"rate"}, sentence: `^every value is infinite.* rate \(column 3\) in 399 rows, first in row 2$`, wayOut: `^correct the cells.* or drop=rate$`},
	{name: "missing, refused", code: trust.Missing, refuse: trust.Refusals{Missing: true},
		has: edited(plainTable(n), missing("v", 1)), not: plainTable(n),
		severity: trust.Error, columns: []string{"v"}, sentence: `1 column of 400 rows: v 0\.2%`, wayOut: `missing=auto .*drop=v`},
	{name: "missing, many", code: trust.Missing,
		has: edited(plainTable(n), missing("v", 21)), not: plainTable(n),
		severity: trust.Warning, columns: []string{"v"}, sentence: `v 5\.2%`, wayOut: `drop=v`},
	{name: "missing, predicted", code: trust.MissingCauses,
		has: edited(plainTable(n), func(p *dataset.Profile) {
			p.Missingness = &dataset.Missingness{Predicted: []dataset.MissingPredictor{{Column: "v", By: "u", P: 1e-9}}}
		}), not: plainTable(n),
		severity: trust.Note, columns: []string{"v"}, sentence: `observed columns predict which values are missing: v by u \(p = 1e-09\)`, wayOut: `keep the predictors`},
	{name: "missing, predicted by a column with gaps", code: trust.MissingCauses,
		has: edited(plainTable(n), func(p *dataset.Profile) {
			p.Missingness = &dataset.Missingness{Predicted: []dataset.MissingPredictor{{Column: "v", By: "u", P: 1e-9, Missing: 0.3}}}
		}), not: plainTable(n),
		severity: trust.Warning, columns: []string{"v"}, sentence: `u is often missing too, so that missing at random is doubtful`, wayOut: `keep the predictors`},
	{name: "missing, never together", code: trust.MissingApart,
		has: edited(plainTable(n), func(p *dataset.Profile) {
			p.Missingness = &dataset.Missingness{Apart: [][2]string{{"u", "v"}}}
		}), not: plainTable(n),
		severity: trust.Warning, columns: []string{"u", "v"}, sentence: `never observed in the same row: u with v`, wayOut: `add rows that have both`},
	{name: "missing, few", code: trust.Missing,
		has: edited(plainTable(n), missing("v", 20)), not: plainTable(n),
		severity: trust.Note, columns: []string{"v"}, sentence: `v 5\.0%`, wayOut: `no action needed`},
	{name: "missing, rows dropped", code: trust.Missing,
		has: edited(plainTable(n), func(p *dataset.Profile) { missing("v", 44)(p); p.RowsRead = 444 }), not: plainTable(n),
		severity: trust.Warning, columns: []string{"v"}, sentence: `values are missing in 1 column of 444 rows: v 9\.9%; 400 of 444 rows are left \(9\.9% lost\); the remaining rows may not be representative`, wayOut: `^missing=auto uses the incomplete rows; drop=v keeps more complete ones`},
	{name: "text, refused", code: trust.Text, refuse: trust.Refusals{Text: true},
		has: lead(plainTable(n), textColumn("city", 12)), not: plainTable(n),
		severity: trust.Error, columns: []string{"city"}, sentence: `city \(text in 400 cells\) is not numeric; learn stops at text columns unless told how to encode them`, wayOut: `drop=city; .*encode=onehot`},
	{name: "text, left out", code: trust.Text,
		has: lead(plainTable(n), textColumn("city", 12)), not: plainTable(n),
		severity: trust.Note, columns: []string{"city"}, sentence: `city \(text in 400 cells\) is excluded`, wayOut: `encode=onehot`},
	{name: "text, coded", code: trust.Text,
		has:      edited(plainTable(n).with("city=a", share(n, 100, 1, 0)).with("city=b", share(n, 50, 1, 0)), coded),
		not:      plainTable(n).with("a", share(n, 100, 1, 0)),
		severity: trust.Warning, columns: []string{"city"}, sentence: `city is text, one-hot encoded as 2 columns\. One-hot columns of one variable are mutually exclusive, so they appear connected`, wayOut: `encode=drop`},
	{name: "text, as places", code: trust.Text,
		has: edited(plainTable(n), func(p *dataset.Profile) { p.Columns[1].Kind = "text" }), not: plainTable(n),
		severity: trust.Note, columns: []string{"v"}, sentence: `v is text, encoded in sorted order`, wayOut: `encode=drop`},
	{name: "a stand-in", code: trust.Sentinel,
		has:      edited(plainTable(n).with("age", standIns(n, 40, -999)), suspects("age", -999, 40)),
		not:      edited(plainTable(n).with("age", standIns(n, 40, -9)), suspects("age", -9, 40)),
		severity: trust.Warning, columns: []string{"age"}, sentence: `possible codes for missing values: age is -999 in 40 rows \(other values around 39\.9\)`, wayOut: `na=age=-999 if they are; in formats other than CSV, empty the cells`},
	{name: "a lone negative", code: trust.Sentinel,
		has:      edited(plainTable(n).with("age", standIns(n, 1, -1)), func(p *dataset.Profile) { suspects("age", -1, 1)(p); p.Columns[len(p.Columns)-1].SuspectLone = true }),
		not:      edited(plainTable(n).with("age", standIns(n, 1, -1)), suspects("age", -1, 1)),
		severity: trust.Warning, columns: []string{"age"}, sentence: `possible codes for missing values: age is -1 in 1 row \(other values around 39\.9\)`, wayOut: `na=age=-1 if they are; in formats other than CSV, empty the cells`},
	{name: "equal", code: trust.Duplicate,
		has: plainTable(n).with("w", gauss(n, 1)), not: plainTable(n).with("w", noisy(gauss(n, 1), 1e-11, 3)),
		severity: trust.Warning, columns: []string{"u", "w"}, sentence: `^u equals w in every row$`, wayOut: `drop=w`},
	{name: "equal but for one row", code: trust.Duplicate,
		has:      plainTable(n).with("a", share(n, 100, 1, 0)).with("b", share(n, 100, 1, 0)),
		not:      plainTable(n).with("a", share(n, 100, 1, 0)).with("b", share(n, 101, 1, 0)),
		severity: trust.Warning, columns: []string{"a", "b"}, sentence: `^a equals b in every row$`, wayOut: `drop=b`},
	{name: "other units", code: trust.Duplicate,
		has:      plainTable(n).with("w", of(func(v []float64) float64 { return 3 - 2.54*v[0] }, gauss(n, 1))),
		not:      plainTable(n).with("w", of(func(v []float64) float64 { return 3 - 2.54*v[0] }, noisy(gauss(n, 1), 1e-11, 3))),
		severity: trust.Warning, columns: []string{"u", "w"}, sentence: `^w = -2\.54·u \+ 3 in every row$`, wayOut: `drop=w`},
	{name: "three alike", code: trust.Duplicate,
		has:      plainTable(n).with("w", gauss(n, 1)).with("x", gauss(n, 1)),
		not:      plainTable(n),
		severity: trust.Warning, columns: []string{"u", "w", "x"}, sentence: `^u, w and x are equal in every row$`, wayOut: `drop=w,x`},
	{name: "three in different units", code: trust.Duplicate,
		has:      plainTable(n).with("w", gauss(n, 1)).with("x", of(func(v []float64) float64 { return -v[0] }, gauss(n, 1))),
		not:      plainTable(n),
		severity: trust.Warning, columns: []string{"u", "w", "x"}, sentence: `^w = u and x = -u in every row$`, wayOut: `drop=w,x`},
	{name: "exact sum", code: trust.Collinear,
		has:      plainTable(n).with("w", of(func(v []float64) float64 { return v[0] + 1.5*v[1] + 7 }, gauss(n, 1), gauss(n, 2))),
		not:      plainTable(n).with("w", noisy(of(func(v []float64) float64 { return v[0] + 1.5*v[1] + 7 }, gauss(n, 1), gauss(n, 2)), 1e-3, 3)),
		severity: trust.Warning, columns: []string{"u", "v", "w"}, sentence: `^w = u \+ v \+ 7 in every row$`, wayOut: `drop=w`},
	{name: "shares", code: trust.Collinear,
		has: shares(n, 0), not: shares(n, 0.2),
		severity: trust.Warning, columns: []string{"a", "b", "c", "d"}, sentence: `^a \+ b \+ c \+ d = 1 in every row$`, wayOut: `drop`},
	{name: "rounded shares", code: trust.Collinear,
		has: rounded(shares(n, 0), 3), not: rounded(shares(n, 0), 1),
		severity: trust.Warning, columns: []string{"a", "b", "c", "d"}, sentence: `a \+ b \+ c \+ d = 1 up to rounding: residual standard deviation 0\.00063, 0\.6% of that of b`, wayOut: `drop`},
	{name: "other coefficients", code: trust.Collinear,
		has:      plainTable(n).with("w", of(func(v []float64) float64 { return 0.37*v[0] - 12.5*v[1] }, gauss(n, 1), gauss(n, 2))),
		not:      plainTable(n),
		severity: trust.Warning, columns: []string{"u", "v", "w"}, sentence: `^w = 0\.37·u - 8\.333·v in every row$`, wayOut: `drop=w`},
	{name: "mean", code: trust.Collinear,
		has:      plainTable(n).with("x", gauss(n, 4)).with("mean", of(func(v []float64) float64 { return (v[0] + 1.5*v[1] + v[2]) / 3 }, gauss(n, 1), gauss(n, 2), gauss(n, 4))),
		not:      plainTable(n),
		severity: trust.Warning, columns: []string{"u", "v", "x", "mean"}, sentence: `^3·mean = u \+ v \+ x in every row$`, wayOut: `drop`},
	{name: "near sum", code: trust.NearCollinear,
		has:      plainTable(n).with("w", noisy(of(func(v []float64) float64 { return (v[0] + v[1]) / math.Sqrt2 }, gauss(n, 1), gauss(n, 2)), 0.8e-3, 3)),
		not:      plainTable(n).with("w", noisy(of(func(v []float64) float64 { return (v[0] + v[1]) / math.Sqrt2 }, gauss(n, 1), gauss(n, 2)), 1.3e-3, 3)),
		severity: trust.Warning, columns: []string{"u", "v", "w"}, sentence: `w = 0\.7055·u \+ 0\.4707·v approximately: R² 0\.9991, variance inflation factor 1\.06e\+03`, wayOut: `drop=w`},
	{name: "condition", code: trust.Condition,
		has:      plainTable(n).with("w", noisy(gauss(n, 1), 1e-9, 3)),
		not:      plainTable(n).with("w", noisy(gauss(n, 1), 1e-7, 3)),
		severity: trust.Warning, sentence: `the correlation matrix has condition number 3\.6e\+09: regressions on all columns lose about 10 of 16 digits`, wayOut: `drop`},
	{name: "one value in nearly all rows", code: trust.NearConstant,
		has: plainTable(n).with("rare", share(n, 4, 1, 0)), not: plainTable(n).with("rare", share(n, 5, 1, 0)),
		severity: trust.Warning, columns: []string{"rare"}, sentence: `rare is 0 in 99\.0%`, wayOut: `drop=rare`},
	{name: "few digits vary", code: trust.NearConstant,
		has:      plainTable(n).with("far", of(func(v []float64) float64 { return 1e9 + v[0] }, gauss(n, 3))),
		not:      plainTable(n).with("far", of(func(v []float64) float64 { return 1e7 + v[0] }, gauss(n, 3))),
		severity: trust.Warning, columns: []string{"far"}, sentence: `far varies by [01]\.?\d* around`, wayOut: `drop=far`},
	{name: "row number", code: trust.IDLike,
		has:      plainTable(n).with("row", counter(n, func(i int) float64 { return float64(3*i + 1) })),
		not:      plainTable(n).with("row", counter(n, func(i int) float64 { return float64(3*(i&^1) + 1) })),
		severity: trust.Warning, columns: []string{"row"}, sentence: `possible identifier: row increases or decreases in every row, from 1 to 1198`, wayOut: `drop=row`},
	{name: "shuffled numbers", code: trust.IDLike,
		has:      plainTable(n).with("row", counter(n, func(i int) float64 { return float64(i*7919%n + 5) })),
		not:      plainTable(n).with("row", counter(n, func(i int) float64 { return float64(i*7919%n*2 + 5) })),
		severity: trust.Warning, columns: []string{"row"}, sentence: `possible identifier: row has every integer from 5 to 404 once`, wayOut: `drop=row`},
	{name: "text that names rows", code: trust.IDLike, refuse: trust.Refusals{Text: true},
		has: lead(plainTable(n), textColumn("key", n)), not: lead(plainTable(n), textColumn("key", n-1)),
		severity: trust.Warning, columns: []string{"key"}, sentence: `possible identifier: key has distinct text in every row`, wayOut: `drop=key`},
	{name: "rising years", code: trust.TimeOrder,
		has:      plainTable(n).with("year", counter(n, func(i int) float64 { return float64(1900 + i/4) })),
		not:      plainTable(n).with("year", counter(n, func(i int) float64 { return float64(1900 + i*7919%n/4) })),
		severity: trust.Warning, columns: []string{"year"}, sentence: `year rises or falls with the row order: rows look dependent in time, so confidence is overstated`, wayOut: `^if the first row is the earliest, learn with time=\., .*every tenth`},
	{name: "each year once", code: trust.TimeOrder,
		has:      plainTable(n).with("month", counter(n, func(i int) float64 { return float64(i / 4) })).with("year", counter(n, func(i int) float64 { return float64(1900 + i) })),
		not:      plainTable(n).with("year", counter(n, func(i int) float64 { return float64(1900 + i*7919%n) })),
		severity: trust.Warning, columns: []string{"month", "year"}, sentence: `month and year rise or fall`, wayOut: `^learn with time=year, .*drop=month,year`},
	{name: "times with decimals", code: trust.TimeOrder,
		has:      plainTable(n).with("time", counter(n, func(i int) float64 { return 1991 + float64(i)/260 })),
		not:      plainTable(n).with("time", counter(n, func(i int) float64 { return 1991 + float64(i/2)/260 })),
		severity: trust.Warning, columns: []string{"time"}, sentence: `time rises or falls`, wayOut: `^learn with time=time`},
	{name: "seconds since 1970", code: trust.TimeOrder,
		has:      plainTable(n).with("ts", counter(n, func(i int) float64 { return float64(1_600_000_000 + 61*i*i) })),
		not:      plainTable(n).with("ts", counter(n, func(i int) float64 { return float64(16_000 + 61*i*i) })),
		severity: trust.Warning, columns: []string{"ts"}, sentence: `rows look dependent in time`, wayOut: `drop=ts`},
	{name: "postal codes", code: trust.CodeLike,
		has:      plainTable(n).with("zip_code", counter(n, func(i int) float64 { return float64(10_000 + i*7919%n) })),
		not:      plainTable(n).with("zipper", counter(n, func(i int) float64 { return float64(10_000 + i*7919%n) })),
		severity: trust.Warning, columns: []string{"zip_code"}, sentence: `zip_code has postal or area codes: codes, not amounts, so that differences between them are meaningless`, wayOut: `drop=zip_code`},
	{name: "copied rows", code: trust.RepeatedRows,
		has: edited(plainTable(n), repeated(5)), not: plainTable(n),
		severity: trust.Warning, sentence: `5 rows \(1\.2%\) repeat an earlier row in every numeric column; with columns of many values this suggests copies, which overstate confidence`, wayOut: `remove`},
	{name: "a copied row", code: trust.RepeatedRows,
		has: edited(plainTable(n), repeated(1)), not: plainTable(n),
		severity: trust.Note, sentence: `1 row \(0\.2%\) repeats`, wayOut: `remove`},
	{name: "rows of few values", code: trust.RepeatedRows,
		has:      edited(new(table).with("a", share(n, 100, 1, 0)).with("b", share(n, 150, 0, 1)), repeated(396)),
		not:      plainTable(n),
		severity: trust.Note, sentence: `396 rows \(99\.0%\) repeat an earlier row in every numeric column; this is expected with columns of few values`, wayOut: `remove`},
	{name: "units that nothing goes by", code: trust.LargeUnits,
		has: scaled(1100), not: scaled(900),
		severity: trust.Note, columns: []string{"u", "w"}, sentence: `a factor of 1[01]\d\d`, wayOut: `variance=unequal rules out; .*standardize=true`},
	{name: "units of measured columns only", code: trust.LargeUnits, refuse: trust.Refusals{Units: true},
		has:      scaled(1100).with("yes", share(n, 100, 1, 0)),
		not:      new(table).with("u", standard(gauss(n, 1), 1200)).with("yes", share(n, 100, 1, 0)),
		severity: trust.Warning, columns: []string{"u", "w"}, sentence: `a factor of 1[01]\d\d`, wayOut: `standardize=true`},
	{name: "units", code: trust.LargeUnits, refuse: trust.Refusals{Units: true},
		has: scaled(1100), not: scaled(900),
		severity: trust.Warning, columns: []string{"u", "w"}, sentence: `a factor of 1[01]\d\d`, wayOut: `standardize=true`},
	{name: "variances", code: trust.Varsortable,
		has: scaled(3.2), not: scaled(2.8),
		severity: trust.Note, columns: []string{"u", "w"}, sentence: `a factor of 3\.\d+: `, wayOut: `variance=unequal`},
	{name: "standardized", code: trust.Standardized,
		has:      new(table).with("a", standard(gauss(n, 1), 1)).with("b", standard(gauss(n, 2), 1.001)),
		not:      new(table).with("a", standard(gauss(n, 1), 1)).with("b", standard(gauss(n, 2), 1.01)),
		severity: trust.Note, sentence: `the columns are standardized, so equal noise variances cannot identify directions`, wayOut: `variance=unequal`},
	{name: "R²", code: trust.R2Sortable,
		has: plainTable(n).with("w", noisy(gauss(n, 1), 0.4, 3)), not: plainTable(n).with("w", noisy(gauss(n, 1), 0.6, 3)),
		severity: trust.Note, columns: []string{"v", "w"}, sentence: `from 0\.0\d \(v\) to 0\.55 \(w\)`, wayOut: `R²`},
	{name: "tails", code: trust.HeavyTails,
		has: plainTable(n).with("t", tails(n, 8)), not: plainTable(n).with("t", tails(n, 6)),
		severity: trust.Warning, columns: []string{"t"}, sentence: `above 7 .*: t \d+\.?\d*;`, wayOut: `normal-scores=true`},
	{name: "skewed and positive", code: trust.Skewed,
		has: plainTable(n).with("income", lognormal(n, 1)), not: plainTable(n).with("income", lognormal(n, 0.4)),
		severity: trust.Warning, columns: []string{"income"}, sentence: `beyond ±2 .*: income [2-9]`, wayOut: `^log=income, or normal-scores=true`},
	{name: "skewed within a narrow range", code: trust.Skewed,
		has:      plainTable(n).with("level", of(func(v []float64) float64 { return 1000 + v[0] }, lognormal(n, 1))),
		not:      plainTable(n).with("stars", of(func(v []float64) float64 { return 1 + v[0] + v[1] }, share(n, 20, 1, 0), share(n, 10, 1, 0))),
		severity: trust.Warning, columns: []string{"level"}, sentence: `level [2-9]`, wayOut: `^normal-scores=true`},
	{name: "skewed and negative", code: trust.Skewed,
		has:      plainTable(n).with("loss", of(func(v []float64) float64 { return -v[0] }, lognormal(n, 1))),
		not:      plainTable(n).with("loss", of(func(v []float64) float64 { return -v[0] }, lognormal(n, 0.4))),
		severity: trust.Warning, columns: []string{"loss"}, sentence: `loss -[2-9]`, wayOut: `^normal-scores=true`},
	{name: "skewed before a logarithm", code: trust.Skewed,
		has:      plainTable(n).with("income", lognormal(n, 1)),
		not:      edited(plainTable(n).with("income", gauss(n, 9)), func(p *dataset.Profile) { p.Columns[2] = profileOf("income", lognormal(n, 1)) }),
		severity: trust.Warning, columns: []string{"income"}, sentence: `income`, wayOut: `log=income`},
	{name: "binary", code: trust.Binary,
		has:      plainTable(n).with("yes", share(n, 100, 1, 0)),
		not:      plainTable(n).with("yes", of(func(v []float64) float64 { return v[0] + v[1] }, share(n, 100, 1, 0), share(n, 50, 1, 0))),
		severity: trust.Note, columns: []string{"yes"}, sentence: `yes has two distinct values, used as numbers: an effect is a difference of proportions and the noise is not Gaussian; directions are less reliable than adjacencies`, wayOut: `no action needed`},
	{name: "codes", code: trust.FewLevels,
		has:      plainTable(n).with("kind", counter(n, func(i int) float64 { return float64(i * 7 % 10) })),
		not:      plainTable(n).with("kind", counter(n, func(i int) float64 { return float64(i * 7 % 11) })),
		severity: trust.Note, columns: []string{"kind"}, sentence: `kind has at most 10 distinct integer values, used as numbers with equal spacing`, wayOut: `kind=NAME=categorical`},
	{name: "few rows to spare", code: trust.Unchecked, has: wide(49, 40), not: wide(50, 40),
		severity: trust.Note, sentence: `49 rows for 40 columns`, wayOut: `drop`},
}

// standIns are ages, with v in the place of k of them.
func standIns(n, k int, v float64) []float64 {
	x := of(func(v []float64) float64 { return 40 + 12*v[0] }, gauss(n, 5))
	for i := range k {
		x[i*7] = v
	}
	return x
}

func suspects(name string, v float64, k int) func(*dataset.Profile) {
	return func(p *dataset.Profile) {
		for i := range p.Columns {
			if c := &p.Columns[i]; c.Name == name {
				c.Suspect, c.Suspects = v, k
			}
		}
	}
}

func edited(t *table, f func(*dataset.Profile)) *table {
	t.edit = f
	return t
}

func lead(t *table, c dataset.ColumnProfile) *table {
	t.before = append(t.before, c)
	return t
}

func wide(n, d int) *table {
	t := new(table)
	for j := range d {
		t.with(fmt.Sprintf("c%d", j), gauss(n, uint64(j+1)))
	}
	return t
}

// shares are four positive numbers that add to 1, but for noise.
func shares(n int, noise float64) *table {
	raw := [][]float64{lognormal(n, 0.5), of(func(v []float64) float64 { return math.Exp(v[0] / 2) }, gauss(n, 11)),
		of(func(v []float64) float64 { return math.Exp(v[0] / 2) }, gauss(n, 12)), of(func(v []float64) float64 { return math.Exp(v[0] / 2) }, gauss(n, 13))}
	t := new(table)
	for k, name := range []string{"a", "b", "c", "d"} {
		t.with(name, of(func(v []float64) float64 { return v[k]/(v[0]+v[1]+v[2]+v[3]) + noise*v[4] }, append(raw, gauss(n, 20+uint64(k)))...))
	}
	return t
}

func rounded(t *table, digits int) *table {
	f := math.Pow10(digits)
	for j, c := range t.columns {
		t.columns[j] = of(func(v []float64) float64 { return math.Round(v[0]*f) / f }, c)
	}
	return t
}

func scaled(factor float64) *table {
	return new(table).with("u", standard(gauss(n, 1), 1.2)).with("w", standard(gauss(n, 3), 1.2*factor))
}

// standard gives x mean 0 and the standard deviation std.
func standard(x []float64, std float64) []float64 {
	c := profileOf("", x)
	return of(func(v []float64) float64 { return (v[0] - c.Mean) / c.Std * std }, x)
}

// tails is Gaussian but for two rows that lie far out on both sides.
func tails(n int, far float64) []float64 {
	x := gauss(n, 3)
	x[10], x[20] = far, -far
	return x
}

func TestFindings(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			seen[c.code] = true
			f, ok := find(c.has.examine(t, c.refuse), c.code)
			if !ok {
				t.Fatalf("%s was not found in\n%+v", c.code, c.has.examine(t, c.refuse).Findings)
			}
			if f.Severity != c.severity || !slices.Equal(f.Columns, c.columns) {
				t.Errorf("%s about %q, want %s about %q", f.Severity, f.Columns, c.severity, c.columns)
			}
			if !regexp.MustCompile(c.sentence).MatchString(f.Sentence) {
				t.Errorf("the sentence is %q, want %s", f.Sentence, c.sentence)
			}
			for _, r := range f.Remedies {
				if !strings.Contains(f.WayOut, r.String()) {
					t.Errorf("the remedy %q does not stand in %q", r, f.WayOut)
				}
			}
			if flag := regexp.MustCompile(`--[a-z]`); flag.MatchString(f.Sentence + f.WayOut) {
				t.Errorf("speaks of flags: %q, %q", f.Sentence, f.WayOut)
			}
			if !regexp.MustCompile(c.wayOut).MatchString(f.WayOut) {
				t.Errorf("the way out is %q, want %s", f.WayOut, c.wayOut)
			}
			for _, g := range c.not.examine(t, c.refuse).Findings {
				if g.Code == c.code {
					t.Errorf("the table that just has not has %+v", g)
				}
			}
		})
	}
	for _, code := range trust.Codes() {
		if !seen[code] {
			t.Errorf("no table has %s", code)
		}
	}
}

// A table with nothing to find has no finding, with and without a profile.
func TestNothingFound(t *testing.T) {
	m := plainTable(n).moments(t)
	for _, p := range []*trust.DataChecks{trust.Examine(m, plainTable(n).profile(m)), trust.Examine(m, nil)} {
		if len(p.Findings) != 0 || p.Worst() != "" {
			t.Errorf("found %+v", p.Findings)
		}
		if p.Rank != 2 || p.Varying != 2 || p.Condition == nil || p.StdRatio == nil || p.R2 == nil {
			t.Errorf("figures are absent: %+v", p)
		}
	}
}

// Findings come worst first, then in the order of the codes; every one has a sentence and a way out; the whole goes through JSON.
func TestOrderAndJSON(t *testing.T) {
	severity := []trust.Severity{trust.Error, trust.Warning, trust.Note}
	for _, c := range cases {
		p := c.has.examine(t, c.refuse)
		last := -1
		for _, f := range p.Findings {
			at := slices.Index(severity, f.Severity)*100 + slices.Index(trust.Codes(), f.Code)
			if at < last {
				t.Errorf("%s: %s %s stands too late", c.name, f.Severity, f.Code)
			}
			last = at
			if f.Sentence == "" || f.WayOut == "" {
				t.Errorf("%s: %s says too little: %+v", c.name, f.Code, f)
			}
		}
		if p.Worst() != p.Findings[0].Severity {
			t.Errorf("%s: worst is %s", c.name, p.Worst())
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var back trust.DataChecks
		if err := json.Unmarshal(b, &back); err != nil || back.Schema != trust.CheckSchema || len(back.Findings) != len(p.Findings) {
			t.Errorf("%s: read back %+v, %v", c.name, back, err)
		}
	}
}

// Tables at the edge: nothing in them, one of each, all constant. Examine must answer, and in JSON.
func TestExamineDegenerate(t *testing.T) {
	empty := dataset.NewMoments([]string{"a", "b"})
	none := dataset.NewMoments(nil)
	all := new(table).with("a", counter(5, func(int) float64 { return 1 })).with("b", counter(5, func(int) float64 { return 2 }))
	for name, m := range map[string]*dataset.Moments{"no rows": empty, "nothing": none, "constant": all.moments(t),
		"one row": new(table).with("a", []float64{1}).with("b", []float64{2}).moments(t)} {
		p := trust.Examine(m, nil)
		if p.Worst() != trust.Error {
			t.Errorf("%s: worst is %q", name, p.Worst())
		}
		if _, err := json.Marshal(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := trust.Examine(empty, &dataset.Profile{Columns: []dataset.ColumnProfile{{Name: "a", Min: math.NaN(), Max: math.Inf(1)}}})
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
	if len(p.Columns) != 2 {
		t.Errorf("%d columns, want 2", len(p.Columns))
	}
}

// A covariance alone has no extremes: that is no sign of a constant. A mean that is known still tells of lost digits.
func TestExamineCovariance(t *testing.T) {
	restore := func(mean ...float64) *trust.DataChecks {
		m := must.Get(dataset.RestoreMoments([]string{"a", "b"}, 100, mean, nil, []float64{400, 100, 100, 900}, nil, nil))
		return trust.Examine(m, nil)
	}
	if p := restore(0, 0); len(p.Findings) != 0 {
		t.Errorf("found %+v", p.Findings)
	}
	if f, ok := find(restore(0, 1e12), trust.NearConstant); !ok || !slices.Equal(f.Columns, []string{"b"}) {
		t.Errorf("a standard deviation of 3 around 1e12: %+v", f)
	}
}

// The page has a line for every code, in their order.
func TestPageListsEveryCode(t *testing.T) {
	text := must.Get(os.ReadFile("../docs/reference/checks.md"))
	_, section, _ := strings.Cut(string(text), "\n## Findings\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(section, -1) {
		listed = append(listed, m[1])
	}
	if want := trust.Codes(); !slices.Equal(listed, want) {
		t.Errorf("docs/reference/checks.md lists\n%q, want\n%q", listed, want)
	}
}

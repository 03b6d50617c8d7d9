package trust

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// A word is a part of a name if punctuation, digits, capitals or the ends of the name delimit it.
func TestPartsOfNames(t *testing.T) {
	for name, want := range map[string]bool{
		"day": true, "Day": true, "DAY": true, "day_of_sale": true, "sale-day": true, "saleDay": true, "aDay": true, "dDay": true, "SaleDayUTC": true, "day2": true,
		"2day": true, "x.DAY.y": true, "saleDAY": true, "birthday": false, "days": false, "daylight": false, "Daylight": false, "d_ay": false, "": false,
		"_": false, "DAYS": false, "Zday": false, "Aday": false, "zday": false, "aday": false, "xDAYS": false,
	} {
		if got := named(name, "hour", "day"); got != want {
			t.Errorf("%q has the part day: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"ZipCode": true, "home.ZipCode2": true, "zip_code": false, "Zip": false, "ZipCodes": false} {
		if got := named(name, "zipcode"); got != want {
			t.Errorf("%q has the part zipcode: %v, want %v", name, got, want)
		}
	}
}

// A time has the kind of a time, or it is a whole number with the name of a time or in the range of seconds or milliseconds since 1970 or of
// dates. findings_test.go tests times with decimals.
func TestTimestamps(t *testing.T) {
	whole, number := dataset.Integer.String(), "number"
	for _, c := range []struct {
		name, kind string
		min, max   float64
		want       bool
	}{
		{"x", dataset.Time.String(), 0, 1, true}, {"date", number, 1, 31, false}, {"month", whole, 1, 12, true}, {"x", whole, 1, 12, false},
		{"x", number, 1e9, 2e9, false}, {"x", whole, 1e9, 2e9, true}, {"x", whole, 3e8, 3e9, true}, {"x", whole, 2.9e8, 3e9, false}, {"x", whole, 3e8, 3.1e9, false},
		{"x", whole, 3e11, 3e12, true}, {"x", whole, 2.9e11, 3e12, false}, {"x", whole, 3e11, 3.1e12, false}, {"x", whole, 1e10, 2e10, false},
		{"x", whole, 19000101, 21001231, true}, {"x", whole, 18991231, 20240131, false}, {"x", whole, 20240131, 21010101, false},
	} {
		column := Column{ColumnProfile: dataset.ColumnProfile{Name: c.name, Kind: c.kind, Min: c.min, Max: c.max}}
		if got := timestamp(column); got != c.want {
			t.Errorf("%s column %s from %v to %v is a time: %v, want %v", c.kind, c.name, c.min, c.max, got, c.want)
		}
	}
}

// A time that is sorted in at least ten rows orders them, unless the column was made from another or is excluded.
func TestTimesThatOrderTheRows(t *testing.T) {
	for _, c := range []struct {
		rows           int
		sorted         bool
		kind           string
		from, excluded string
		want           bool
	}{
		{10, true, "integer", "", "", true}, {9, true, "integer", "", "", false}, {10, false, "integer", "", "", false},
		{10, true, "text", "", "", false}, {10, true, "integer", "when", "", false}, {10, true, "integer", "", "year", false},
	} {
		e := &examination{p: &dataset.Profile{}, excluded: map[string]bool{c.excluded: true}, out: &DataChecks{RowsRead: c.rows}}
		e.out.Columns = []Column{{ColumnProfile: dataset.ColumnProfile{Name: "year", Kind: c.kind, From: c.from, Sorted: c.sorted, Min: 1990, Max: 2000}}}
		e.ordered()
		if got := slices.ContainsFunc(e.out.Findings, func(f Finding) bool { return f.Code == TimeOrder }); got != c.want {
			t.Errorf("%+v: rows are ordered in time: %v, want %v", c, got, c.want)
		}
	}
}

// Few whole numbers with the name of nominal categories are codes.
func TestUnorderedCodesByName(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		distinct   int
		want       bool
	}{
		{"race", "integer", 5, true}, {"Race.Code", "integer", 3, true}, {"siteID", "integer", 64, true}, {"region_2", "integer", 4, true}, {"homeCity", "integer", 9, true},
		{"race", "integer", 2, false}, {"race", "integer", 65, false}, {"race", "number", 5, false}, {"race_time", "integer", 5, false}, {"traced", "integer", 5, false}, {"code", "integer", 5, false}, {"2", "integer", 5, false},
	} {
		e := &examination{p: &dataset.Profile{}, out: &DataChecks{}}
		e.out.Columns = []Column{{ColumnProfile: dataset.ColumnProfile{Name: c.name, Kind: c.kind, Distinct: c.distinct, Min: 1}}, {ColumnProfile: dataset.ColumnProfile{Name: "hospital", Kind: "integer", Distinct: 5}}}
		e.unordered()
		if got := len(e.out.Findings) == 1 && e.out.Findings[0].Remedies[0].Value == c.name+"=categorical"; got != c.want {
			t.Errorf("%+v: it is a code: %v, want %v; %+v", c, got, c.want, e.out.Findings)
		}
	}
}

// Whole numbers with the name of a code and more than ten values are codes, unless the column was dropped.
func TestCodesByName(t *testing.T) {
	for _, c := range []struct {
		name, kind, dropped string
		distinct            int
		want                bool
	}{
		{"zip", "integer", "", 11, true}, {"zip", "integer", "", 10, false}, {"zip", "real", "", 11, false}, {"zip", "integer", "constant", 11, false},
		{"zipper", "integer", "", 11, false}, {"homePLZ", "integer", "", 12, true},
	} {
		e := &examination{p: &dataset.Profile{}, out: &DataChecks{}}
		e.out.Columns = []Column{{ColumnProfile: dataset.ColumnProfile{Name: c.name, Kind: c.kind, Distinct: c.distinct, Dropped: c.dropped}}}
		e.codes()
		if got := slices.ContainsFunc(e.out.Findings, func(f Finding) bool { return f.Code == CodeLike }); got != c.want {
			t.Errorf("%+v: it is a code: %v, want %v", c, got, c.want)
		}
	}
}

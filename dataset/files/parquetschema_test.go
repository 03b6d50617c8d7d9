package files

import (
	"encoding/binary"
	"testing"
)

// TestConvertedTypes checks the types of older writers by their numbers in the Parquet format (enum ConvertedType of parquet.thrift).
func TestConvertedTypes(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int64
		want   pqColumn
	}{
		{"UTF8", 0, pqColumn{meaning: pqString}},
		{"ENUM", 4, pqColumn{meaning: pqString}},
		{"DECIMAL", 5, pqColumn{meaning: pqDecimal, what: "DECIMAL"}},
		{"DATE", 6, pqColumn{meaning: pqDate}},
		{"TIME_MILLIS", 7, pqColumn{meaning: pqTime, unit: 1e3}},
		{"TIME_MICROS", 8, pqColumn{meaning: pqTime, unit: 1e6}},
		{"TIMESTAMP_MILLIS", 9, pqColumn{meaning: pqTimestamp, unit: 1e3}},
		{"TIMESTAMP_MICROS", 10, pqColumn{meaning: pqTimestamp, unit: 1e6}},
		{"UINT_8", 11, pqColumn{meaning: pqUnsigned}},
		{"UINT_64", 14, pqColumn{meaning: pqUnsigned}},
		{"INT_8", 15, pqColumn{}},
		{"INT_64", 18, pqColumn{}},
		{"JSON", 19, pqColumn{meaning: pqString}},
		{"BSON", 20, pqColumn{meaning: pqOther, what: "BSON"}},
		{"INTERVAL", 21, pqColumn{meaning: pqOther, what: "INTERVAL"}},
	} {
		var got pqColumn
		got.convert(c.number)
		if got.meaning != c.want.meaning || got.unit != c.want.unit || got.what != c.want.what {
			t.Errorf("%s (%d): meaning %v, unit %d, %q; want %v, %d, %q", c.name, c.number, got.meaning, got.unit, got.what, c.want.meaning, c.want.unit, c.want.what)
		}
	}
}

// TestInt96 checks times in nanoseconds of a Julian day, after and before 1970.
func TestInt96(t *testing.T) {
	c := &pqColumn{physical: pqInt96}
	for _, v := range []struct {
		day   uint32
		nanos uint64
		want  float64
	}{{2440588, 0, 0}, {2440589, 500_000_000, 86400.5}, {2440587, 43_200_000_000_000, -43200}} {
		b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, v.nanos), v.day)
		got := make([]float64, 1)
		if c.plain(got, b); got[0] != v.want {
			t.Errorf("%d nanoseconds of day %d: %v, want %v", v.nanos, v.day, got[0], v.want)
		}
	}
}

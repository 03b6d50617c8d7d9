package files_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
)

// instants are the rows of the test of dates: each has a day, an instant and a time of day.
var instants = []time.Time{
	time.Date(2024, 2, 29, 12, 30, 15, 250e6, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 58, 900e6, time.UTC),
	time.Date(1900, 1, 31, 6, 0, 0, 0, time.UTC), time.Date(2099, 12, 31, 23, 59, 59, 123e6, time.UTC),
}

func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// A date, an instant and a time of day are the same numbers in every format, to the last bit, and the same kind of column.
func TestDatesAreTheSameInEveryFormat(t *testing.T) {
	var want []float64
	for i, at := range instants {
		day := midnight(at)
		want = append(want, float64(i), float64(day.Unix()), float64(at.UnixMilli()/1e3)+float64(at.UnixMilli()%1e3)/1e3, float64(at.Sub(day).Milliseconds())/1e3)
	}
	for name, data := range datedFiles(t) {
		t.Run(name, func(t *testing.T) {
			opt := prepare.DefaultSettings()
			opt.Profile, opt.Encode = true, "levels"
			g, err := prepare.Gather(context.Background(), openBytes(t, name, data, options()).Source, opt)
			must.Succeed(t, err)
			var got []float64
			must.Succeed(t, g.Replay(context.Background(), func(b dataset.RowBatch) error { got = append(got, b.Values...); return nil }))
			if !slices.Equal(got, want) || !slices.Equal(g.Moments.Names, []string{"n", "day", "at", "clock"}) {
				t.Errorf("%v\n%v\nwant %v", g.Moments.Names, got, want)
			}
			for j, c := range kind.Decide(g, false) {
				if isTime := c.Reason == "a time"; isTime != (j == 1 || j == 2) {
					t.Errorf("column %s is taken as %s: %s", c.Name, c.Kind, c.Reason)
				}
			}
		})
	}
}

// datedFiles has the rows in every format that has dates, or text to write them in.
func datedFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	text := func(name, head, row string, last string, zone string) {
		b := bytes.NewBufferString(head)
		for i, at := range instants {
			if fmt.Fprintf(b, row, i, at.Format("2006-01-02"), at.Format("2006-01-02"+zone), at.Format("15:04:05.000")); i == len(instants)-1 {
				b.WriteString(last)
			}
		}
		files[name] = b.Bytes()
	}
	text("space.csv", "n,day,at,clock\n", "%d,%s,%s,%s\n", "", " 15:04:05.000")
	text("zone.csv", "n,day,at,clock\n", "%d,%s,\"%s\",%s\n", "", "T15:04:05.000Z07:00")
	text("t.tsv", "n\tday\tat\tclock\n", "%d\t%s\t%s\t%s\n", "", "T15:04:05.000000")
	text("t.jsonl", "", `{"n": %d, "day": "%s", "at": "%s", "clock": "%s"}`+"\n", "", "T15:04:05.000+00:00")

	type row struct {
		N     float64 `parquet:"n"`
		Day   int32   `parquet:"day,date"`
		At    int64   `parquet:"at,timestamp(millisecond)"`
		Clock int32   `parquet:"clock,time(millisecond)"`
	}
	type words struct {
		N     float64 `parquet:"n"`
		Day   string  `parquet:"day,dict"`
		At    string  `parquet:"at"`
		Clock string  `parquet:"clock"`
	}
	var typed, asText bytes.Buffer
	w, v := parquet.NewGenericWriter[row](&typed), parquet.NewGenericWriter[words](&asText)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Float64}, {Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "clock", Type: arrow.FixedWidthTypes.Time64ns}}, nil)
	batch := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer batch.Release()
	book := excelize.NewFile()
	defer book.Close()
	must.Succeed(t, book.SetSheetRow("Sheet1", "A1", &[]any{"n", "day", "at", "clock"}))
	styles := map[string]int{}
	for column, code := range map[string]string{"B": "yyyy-mm-dd", "C": "yyyy-mm-dd hh:mm:ss.000", "D": "hh:mm:ss.000"} {
		id, err := book.NewStyle(&excelize.Style{CustomNumFmt: &code})
		must.Succeed(t, err)
		styles[column] = id
	}
	for i, at := range instants {
		day, clock := midnight(at), at.Sub(midnight(at))
		_, err := w.Write([]row{{float64(i), int32(day.Unix() / 86400), at.UnixMilli(), int32(clock.Milliseconds())}})
		must.Succeed(t, err)
		_, err = v.Write([]words{{float64(i), day.Format(time.DateOnly), at.Format("2006-01-02 15:04:05.000"), at.Format("15:04:05.000")}})
		must.Succeed(t, err)
		batch.Field(0).(*array.Float64Builder).Append(float64(i))
		batch.Field(1).(*array.Date32Builder).Append(arrow.Date32(day.Unix() / 86400))
		batch.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(at.UnixMicro()))
		batch.Field(3).(*array.Time64Builder).Append(arrow.Time64(clock))
		days := func(d time.Duration) float64 { return float64(d.Milliseconds()) / 86400e3 }
		serial := days(at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)))
		if at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) {
			serial-- // Excel has a 29 February 1900
		}
		for column, value := range map[string]float64{"A": float64(i), "B": serial - days(clock), "C": serial, "D": days(clock)} {
			cell := fmt.Sprint(column, i+2)
			must.Succeed(t, book.SetCellValue("Sheet1", cell, value))
			if column != "A" {
				must.Succeed(t, book.SetCellStyle("Sheet1", cell, cell, styles[column]))
			}
		}
	}
	must.Succeed(t, w.Close())
	must.Succeed(t, v.Close())
	files["t.parquet"], files["text.parquet"] = typed.Bytes(), asText.Bytes()
	var b bytes.Buffer
	stream := ipc.NewWriter(&b, ipc.WithSchema(schema))
	must.Succeed(t, stream.Write(batch.NewRecordBatch()))
	must.Succeed(t, stream.Close())
	files["t.arrow"] = bytes.Clone(b.Bytes())
	b.Reset()
	must.Succeed(t, book.Write(&b))
	files["t.xlsx"] = b.Bytes()
	return files
}

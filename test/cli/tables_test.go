package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/internal/must"
)

// The table of the format tests: 200 rows from x0 → x1 → x2, x0 → x3 and x4 by itself. The names are those that an array
// without names gets, and in the order in which Parquet's writer puts them.
const tableRows, tableCols = 200, 5

func tableValues() *mat.Dense {
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(tableRows, tableCols, nil)
	for i := range tableRows {
		e := func() float64 { return rng.NormFloat64() }
		a := e()
		b := 1.5*a + 0.7*e()
		x.SetRow(i, []float64{a, b, -0.8*b + 0.4*e(), 0.9*a + 1.1*e(), 3 + 0.2*e()})
	}
	return x
}

func tableName(j int) string { return "x" + strconv.Itoa(j) }

// delimited writes the table as text.
func delimited(x *mat.Dense, delimiter, decimal, newline, quote string) []byte {
	var b bytes.Buffer
	for i := -1; i < tableRows; i++ {
		for j := range tableCols {
			cell := tableName(j)
			if i >= 0 {
				cell = strings.Replace(strconv.FormatFloat(x.At(i, j), 'g', -1, 64), ".", decimal, 1)
			}
			if j > 0 {
				b.WriteString(delimiter)
			}
			b.WriteString(quote + cell + quote)
		}
		b.WriteString(newline)
	}
	return b.Bytes()
}

func jsonTable(x *mat.Dense, open, between, end string) []byte {
	var b bytes.Buffer
	b.WriteString(open)
	for i := range tableRows {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteByte('{')
		for j := range tableCols {
			if j > 0 {
				b.WriteByte(',')
			}
			v, _ := json.Marshal(x.At(i, j)) // finite
			fmt.Fprintf(&b, "%q:%s", tableName(j), v)
		}
		b.WriteByte('}')
	}
	b.WriteString(end)
	return b.Bytes()
}

func parquetTable(x *mat.Dense) ([]byte, error) {
	schema := parquet.Group{}
	for j := range tableCols {
		schema[tableName(j)] = parquet.Leaf(parquet.DoubleType)
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("t", schema), parquet.MaxRowsPerRowGroup(60), parquet.Compression(&parquet.Snappy))
	for i := range tableRows {
		row := make(parquet.Row, tableCols)
		for j := range row {
			row[j] = parquet.ValueOf(x.At(i, j)).Level(0, 0, j)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// arrowTable writes an IPC file, or a stream.
func arrowTable(x *mat.Dense, file bool) ([]byte, error) {
	var fields []arrow.Field
	for j := range tableCols {
		fields = append(fields, arrow.Field{Name: tableName(j), Type: arrow.PrimitiveTypes.Float64})
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for i := range tableRows {
		for j := range tableCols {
			builder.Field(j).(*array.Float64Builder).Append(x.At(i, j))
		}
	}
	record := builder.NewRecordBatch()
	defer record.Release()
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, ipc.WithSchema(schema))
	if file {
		f, err := ipc.NewFileWriter(&b, ipc.WithSchema(schema), ipc.WithZstd())
		if err != nil {
			return nil, err
		}
		w = f
	}
	if err := w.Write(record); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// npzTable has the table as the array x, its names, and a second array of another shape.
func npzTable(npy []byte) ([]byte, error) {
	var names bytes.Buffer
	dict := fmt.Sprintf("{'descr': '<U2', 'fortran_order': False, 'shape': (%d,), }", tableCols)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	names.WriteString("\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), byte(len(dict) >> 8)}) + dict)
	for j := range tableCols {
		cells := make([]rune, 2)
		copy(cells, []rune(tableName(j)))
		binary.Write(&names, binary.LittleEndian, cells)
	}
	var other bytes.Buffer
	if err := npyio.Write(&other, mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7})); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range map[string][]byte{"x.npy": npy, "names.npy": names.Bytes(), "other.npy": other.Bytes()} {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		w.Write(data)
	}
	err := z.Close()
	return b.Bytes(), err
}

// tables: writes the same table in every format into the folder of the script.
func tables(ts *testscript.TestScript, _ bool, _ []string) {
	save := func(name string, data []byte, err error) {
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o644))
	}
	x := tableValues()
	csv := delimited(x, ",", ".", "\n", "")
	save("t.csv", csv, nil)
	save("semicolon.csv", delimited(x, ";", ".", "\n", ""), nil)
	save("tab.csv", delimited(x, "\t", ".", "\n", ""), nil)
	save("t.tsv", delimited(x, "\t", ".", "\n", ""), nil)
	save("pipe.csv", delimited(x, "|", ".", "\n", ""), nil)
	save("quoted.csv", delimited(x, ",", ".", "\r\n", `"`), nil)
	save("excel.csv", append([]byte("\xef\xbb\xbf"), delimited(x, ";", ",", "\r\n", "")...), nil)
	save("nonewline.csv", bytes.TrimRight(csv, "\n"), nil)
	save("t.jsonl", jsonTable(x, "", "\n", "\n"), nil)
	save("t.json", jsonTable(x, "[", ",\n", "]\n"), nil)

	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(csv)
	ts.Check(w.Close())
	save("t.csv.gz", gz.Bytes(), nil)
	z, err := zstd.NewWriter(nil)
	ts.Check(err)
	save("t.csv.zst", z.EncodeAll(csv, nil), nil)
	if tool, err := exec.LookPath("bzip2"); err == nil {
		c := exec.Command(tool, "-c", ts.MkAbs("t.csv"))
		data, err := c.Output()
		save("t.csv.bz2", data, err)
	} else if must.Required() {
		ts.Fatalf("no bzip2 on this machine; Debian: apt-get install bzip2")
	} else {
		ts.Logf("no bzip2 on this machine: t.csv.bz2 is not made and not read")
	}

	var npy bytes.Buffer
	ts.Check(npyio.Write(&npy, x))
	save("t.npy", npy.Bytes(), nil)
	data, err := npzTable(npy.Bytes())
	save("t.npz", data, err)
	data, err = parquetTable(x)
	save("t.parquet", data, err)
	save("cut.parquet", data[:len(data)/2], nil)
	save("cut.csv.gz", gz.Bytes()[:gz.Len()/2], nil)
	data, err = arrowTable(x, true)
	save("t.arrow", data, err)
	save("cut.arrow", data[:len(data)/2], nil)
	data, err = arrowTable(x, false)
	save("stream.arrow", data, err)
	save("cut.npy", npy.Bytes()[:npy.Len()/2], nil)
	save("people.db", []byte("SQLite format 3\x00\x10\x00\x01\x01"), nil)
	save("cut.jsonl", jsonTable(x, "", "\n", "\n")[:1000], nil)
}

// learns WANT.json argument…: polydag learn with these arguments gives that result, apart from the time it took and the look
// at the data before.
func learns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: learns WANT.json argument …")
	}
	got := filepath.Join(ts.MkAbs("."), "got.json")
	ts.Check(ts.Exec("polydag", append([]string{"learn", "--method", "order", "--quiet", "--output", got}, args[1:]...)...))
	if a, b := stripped(ts, args[0]), stripped(ts, got); a != b {
		ts.Fatalf("the result differs from %s:\n%s\n%s", args[0], a, b)
	}
	ts.Check(os.Remove(got))
}

// checks WANT.json argument…: polydag check with these arguments gives that look, apart from the name of the file, the notes on how it
// is written, and the preview, which has the cells as they are written.
func checks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: checks WANT.json argument …")
	}
	ts.Check(ts.Exec("polydag", append([]string{"check", "--json"}, args[1:]...)...))
	file := regexp.MustCompile(`(?s)"file": "[^\n]*"|,\s*"notes": \[[^\]]*\]|,\s*"preview": \{.*?\n  \}`)
	if a, b := file.ReplaceAllString(ts.ReadFile(args[0]), ""), file.ReplaceAllString(ts.ReadFile("stdout"), ""); a != b {
		ts.Fatalf("the look differs from %s:\n%s\n%s", args[0], a, b)
	}
}

// unjudged removes what depends on rows: the assumption checks, the evidence for directions, the kinds of the columns and why the model was
// chosen.
func unjudged(result map[string]any) {
	delete(result, "assumptions")
	edges, _ := result["edges"].([]any)
	for _, e := range edges {
		for _, key := range []string{"verdict", "confidence", "p_direction", "basis", "evidence"} {
			delete(e.(map[string]any), key)
		}
	}
	nodes, _ := result["nodes"].([]any)
	for _, n := range nodes {
		delete(n.(map[string]any), "kind")
		delete(n.(map[string]any), "kind_reason")
	}
	choices, _ := result["choices"].([]any)
	for _, c := range choices {
		if c := c.(map[string]any); c["setting"] == "model" || c["setting"] == "false edges" {
			delete(c, "reason")
			delete(c, "scores")
			delete(c, "margin")
		}
	}
}

// unnamed removes which file a result is about; what was in the file stays, as the hash of its moments.
func unnamed(result map[string]any) {
	table, _ := result["table"].(map[string]any)
	for _, key := range []string{"name", "format", "bytes", "sha256", "notes"} {
		delete(table, key)
	}
}

// stripped returns a result without its times and without what was found out about the file and its rows, which moments have not.
func stripped(ts *testscript.TestScript, path string) string {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(path)), &v))
	if v["timing"] == nil {
		ts.Fatalf("%s is no result", path)
	}
	delete(v, "timing")
	if table, ok := v["table"].(map[string]any); ok {
		delete(table, "reading") // the flags that were given
	}
	delete(v, "data_checks")
	unjudged(v)
	unnamed(v)
	b, err := json.Marshal(v)
	ts.Check(err)
	return string(b)
}

package files_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// Every target has the same law: whatever the bytes, an error or well-formed batches of bounded size; no panic.

// tight are options under which a hostile file soon meets a limit.
func tight() Settings {
	o := options()
	o.MaxMemory, o.MaxSpool, o.MaxColumns, o.CSV.MaxLine = 32<<20, 32<<20, 2000, 1<<20
	return o
}

// corpus are the seeds of a target. Changed ones are tried too.
type corpus [][]byte

func (c *corpus) Add(data []byte) { *c = append(*c, data) }

func (c *corpus) to(f *testing.F) { must.AddMutants(f, 100+20*len(*c), *c...) }

// fuzz gives any bytes to the reader of a format.
func fuzz(f *testing.F, format string, seeds corpus) {
	seeds.to(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		boundedBatches(t, func() (dataset.Source, error) { return fromMemory(data, format, tight()) })
	})
}

func FuzzParquet(f *testing.F) {
	var seeds corpus
	s := mixed(60, 91)
	seeds.Add(s.parquet(f, nil))
	for _, version := range []int{1, 2} {
		encs := []encoding.Encoding{&parquet.ByteStreamSplit, &parquet.DeltaBinaryPacked, &parquet.RLE, &parquet.DeltaLengthByteArray, &parquet.RLEDictionary, &parquet.DeltaByteArray}
		for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Lz4Raw)} {
			seeds.Add(s.parquet(f, func(j int, n parquet.Node) parquet.Node { return parquet.Optional(parquet.Encoded(n, encs[j])) }, codec, parquet.DataPageVersion(version), parquet.PageBufferSize(300)))
		}
	}
	fuzz(f, Parquet, seeds)
}

func FuzzArrow(f *testing.F) {
	var seeds corpus
	s := mixed(40, 92)
	for _, file := range []bool{true, false} {
		for _, dictionary := range []bool{true, false} {
			seeds.Add(s.arrow(f, file, dictionary, 100))
			seeds.Add(s.arrow(f, file, dictionary, 100, ipc.WithLZ4()))
			seeds.Add(s.arrow(f, file, dictionary, 100, ipc.WithZstd()))
		}
	}
	fuzz(f, Arrow, seeds)
}

func FuzzNPY(f *testing.F) {
	var seeds corpus
	seeds.Add(numbers(5, 3, 93).npy(f))
	seeds.Add(rawNPY("'>i2'", true, "(3, 2)", make([]byte, 12)))
	seeds.Add(rawNPY("'|b1'", false, "(3, 2)", make([]byte, 6)))
	seeds.Add(rawNPY("[('a', '<f8')]", false, "(3,)", make([]byte, 24)))
	seeds.to(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		boundedBatches(t, func() (dataset.Source, error) { return fromFile(t, data, NPY, tight()) })
		// As a stream of unknown length.
		boundedBatches(t, func() (dataset.Source, error) { return fromMemory(data, NPY, tight()) })
	})
}

func FuzzNPZ(f *testing.F) {
	var seeds corpus
	s := numbers(5, 3, 94)
	seeds.Add(s.npz(f, zip.Store))
	seeds.Add(s.npz(f, zip.Deflate))
	seeds.Add(zipOf(f, zip.Store, "a.npy", s.npy(f), "b.npy", s.npy(f)))
	fuzz(f, NPZ, seeds)
}

func FuzzJSONLines(f *testing.F) {
	var seeds corpus
	s := mixed(4, 95)
	seeds.Add(s.jsonLines(f, false))
	seeds.Add(s.jsonLines(f, true))
	seeds.Add([]byte("{\"a\\n\":-1.5e-3,\"b\":{\"x\":[1,\"}\"]}}\r\n{\"a\\n\":NaN}\n"))
	fuzz(f, JSONLines, seeds)
}

func FuzzCompressed(f *testing.F) {
	var seeds corpus
	s := mixed(30, 97)
	seeds.Add(gzipped(f, s.csv(f, ",")))
	seeds.Add(zstandard(f, s.csv(f, ";")))
	seeds.Add([]byte(bzipped))
	seeds.Add(gzipped(f, s.jsonLines(f, false)))
	seeds.Add(gzipped(f, numbers(5, 3, 98).npy(f)))
	fuzz(f, "", seeds)
}

// Moments that are read can be written, and are then read as the same.
func FuzzMoments(f *testing.F) {
	var seeds corpus
	g := gathered(f, numbers(20, 3, 99))
	seeds.Add(written(f, g.Moments, g.Profile))
	n := rawNPY("'<i8'", false, "()", []byte{100, 0, 0, 0, 0, 0, 0, 0})
	seeds.Add(zipOf(f, zip.Deflate, "covariance.npy", floatsNPY("(2, 2)", 4, 1, 1, 9), "n.npy", n, "names.npy", namesNPY([]string{"a", "b"})))
	seeds.to(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, p, err := ReadMoments("t", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		again := written(t, m, p)
		back, _, err := ReadMoments("t", bytes.NewReader(again), int64(len(again)))
		must.Succeed(t, err)
		sameMoments(t, back, m)
	})
}

func FuzzXLSX(f *testing.F) {
	var seeds corpus
	seeds.Add(workbook(f, map[string][][]any{"s": {{"a", "b"}, {1, "x"}, {nil, "NA"}, {2.5, "y"}}}, "s"))
	seeds.Add(zipOf(f, zip.Store, "xl/workbook.xml", []byte(`<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="s" r:id="r"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels", []byte(`<Relationships><Relationship Id="r" Target="worksheets/s.xml"/></Relationships>`),
		"xl/sharedStrings.xml", []byte(`<sst><si><t>a</t></si><si/></sst>`),
		"xl/worksheets/s.xml", []byte(`<worksheet><sheetData><row><c t="s"><v>0</v></c><c r="B1"><v>1</v></c></row><row><c t="s"><v>1</v></c><c><v>2</v></c></row></sheetData></worksheet>`)))
	fuzz(f, XLSX, seeds)
}

// Counts that are read can be written, and are then read as the same.
func FuzzCounts(f *testing.F) {
	var seeds corpus
	c := &dataset.Counts{
		Columns: []dataset.Column{{Name: "a", Kind: dataset.Integer}, {Name: "b", Kind: dataset.Text}},
		Levels:  [][]dataset.Level{{{Number: 1}, {Number: 2}}, {{Word: "x", IsWord: true}, {Word: "y", IsWord: true}}},
		Codes:   []uint32{0, 0, 1, 1}, Times: []uint64{3, 4},
	}
	var b bytes.Buffer
	must.Succeed(f, WriteCounts(&b, c))
	seeds.Add(b.Bytes())
	seeds.to(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		boundedBatches(t, func() (dataset.Source, error) { return fromMemory(data, Counts, tight()) })
		c, err := ReadCounts("t", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		must.Succeed(t, WriteCounts(&again, c))
		back, err := ReadCounts("t", bytes.NewReader(again.Bytes()), int64(again.Len()))
		must.Succeed(t, err)
		if back.Rows() != c.Rows() || len(back.Times) != len(c.Times) {
			t.Fatalf("%d rows became %d", c.Rows(), back.Rows())
		}
	})
}

// FuzzOpen finds out the format itself.
func FuzzOpen(f *testing.F) {
	var seeds corpus
	for _, data := range allFormats(f, mixed(10, 90)) {
		seeds.Add(data)
	}
	fuzz(f, "", seeds)
}

package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// The same table in every format, by the libraries' own writers.
func allFormats(t testing.TB, s *sample) map[string][]byte {
	csv := s.csv(t, ",")
	return map[string][]byte{
		"t.csv": csv, "t.tsv": s.csv(t, "\t"), "t.csv.gz": gzipped(t, csv), "t.csv.zst": zstandard(t, csv),
		"t.jsonl": s.jsonLines(t, false), "t.json": s.jsonLines(t, true), "t.jsonl.gz": gzipped(t, s.jsonLines(t, false)),
		"t.parquet": s.parquet(t, nil, parquet.MaxRowsPerRowGroup(700)), "snappy.parquet": s.parquet(t, nil, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)),
		"t.arrow": s.arrow(t, true, false, 300), "t.arrows": s.arrow(t, false, false, 300), "lz4.feather": s.arrow(t, true, true, 10_000, ipc.WithLZ4()),
	}
}

func TestEveryFormatGivesTheSameNumbers(t *testing.T) {
	s := numbers(2000, 11, 3)
	all := allFormats(t, s)
	all["t.npz"] = s.npz(t, zip.Store)
	all["packed.npz"] = s.npz(t, zip.Deflate)
	want := s.want(false)
	for name, data := range all {
		t.Run(name, func(t *testing.T) { same(t, readBytes(t, name, data, options()), want) })
	}
	for _, name := range []string{"t.npy", "t.npy.gz"} {
		data := s.npy(t)
		if strings.HasSuffix(name, ".gz") {
			data = gzipped(t, data)
		}
		got := readBytes(t, name, data, options())
		if got.names[0] != "x0" || got.names[10] != "x10" {
			t.Errorf("names %q", got.names)
		}
		got.names = want.names
		same(t, got, want)
	}
}

func TestEveryFormatGivesTheSameMoments(t *testing.T) {
	s := numbers(5000, 9, 4)
	all := allFormats(t, s)
	all["t.npz"] = s.npz(t, zip.Store)
	opt := prepare.DefaultSettings()
	opt.Threads = 2
	want, err := ReadCSV(context.Background(), bytes.NewReader(all["t.csv"]), DefaultCSVSettings())
	must.Succeed(t, err)
	for name, data := range all {
		got, err := prepare.Gather(context.Background(), openBytes(t, name, data, options()).Source, opt)
		must.Succeed(t, err)
		m := got.Moments
		if m.N != want.N || !slices.Equal(m.Names, want.Names) || !slices.Equal(m.Mean, want.Mean) || !slices.Equal(m.MeanLow(), want.MeanLow()) ||
			!slices.Equal(m.Scatter, want.Scatter) || !slices.Equal(m.Min, want.Min) || !slices.Equal(m.Max, want.Max) {
			t.Errorf("%s: the moments differ from those of the CSV file", name)
		}
	}
}

func TestEveryFormatKeepsTextAndMissingValues(t *testing.T) {
	s := mixed(2000, 5)
	for name, data := range allFormats(t, s) {
		t.Run(name, func(t *testing.T) {
			inCSV := strings.Contains(name, ".csv") || strings.Contains(name, ".tsv")
			same(t, readBytes(t, name, data, options()), s.want(inCSV))
		})
	}
}

func TestSelectTakesColumnsInAnyOrder(t *testing.T) {
	s := mixed(1000, 6)
	pick := []int{5, 0, 3}
	part := &sample{}
	for _, j := range pick {
		part.names = append(part.names, s.names[j])
		part.cols = append(part.cols, s.cols[j])
	}
	all := allFormats(t, s)
	for name, data := range all {
		src, err := openBytes(t, name, data, options()).Source(context.Background())
		must.Succeed(t, err)
		if err := src.Select([]int{0, 0}); err == nil {
			t.Errorf("%s: the same column twice is accepted", name)
		}
		if err := src.Select([]int{6}); err == nil {
			t.Errorf("%s: a column that is not there is accepted", name)
		}
		must.Succeed(t, src.Select(pick))
		got, err := drain(t, src)
		must.Succeed(t, err)
		same(t, got, part.want(false))
		if src.Select([]int{0}) == nil {
			t.Errorf("%s: a second Select is accepted", name)
		}
		must.Succeed(t, src.Close())
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	s := mixed(3000, 7)
	for name, data := range allFormats(t, s) {
		opt := options()
		opt.Threads = 1
		one := readBytes(t, name, data, opt)
		opt.Threads = 5
		same(t, readBytes(t, name, data, opt), one)
	}
}

func TestASecondPassGivesTheSame(t *testing.T) {
	s := mixed(500, 8)
	for name, data := range allFormats(t, s) {
		in := openBytes(t, name, data, options())
		first := tableOf(t, in)
		same(t, tableOf(t, in), first)
	}
}

func TestStandardInputCanBeReadTwice(t *testing.T) {
	s := mixed(500, 9)
	for name, data := range allFormats(t, s) {
		opt := options()
		if strings.HasSuffix(name, ".tsv") {
			opt.Format = TSV
		}
		in, err := Open("-", io.MultiReader(bytes.NewReader(data[:100]), bytes.NewReader(data[100:])), opt)
		must.Succeed(t, err)
		first := tableOf(t, in)
		same(t, tableOf(t, in), first)
		same(t, first, readBytes(t, name, data, options()))
		must.Succeed(t, in.Close())
	}
}

func TestWideTables(t *testing.T) {
	s := numbers(20, 3000, 10)
	for j := range s.names {
		s.names[j] = fmt.Sprintf("c%05d", j)
	}
	for name, data := range map[string][]byte{
		"t.csv": s.csv(t, ","), "t.npz": s.npz(t, zip.Store), "t.parquet": s.parquet(t, nil), "t.arrow": s.arrow(t, true, false, 7), "t.jsonl": s.jsonLines(t, false),
	} {
		same(t, readBytes(t, name, data, options()), s.want(false))
		opt := options()
		opt.MaxColumns = 2999
		if err := firstFault(t, save(t, name, data), opt); !errors.Is(err, dataset.ErrTooWide) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

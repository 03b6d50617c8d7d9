package cli_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/klauspost/compress/gzip"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// learnBytes runs polydag with a file of this content as its last argument and an output, and checks what must hold for every
// table: a failed run leaves nothing, a result has no NaN, and a message is one.
func learnBytes(t *testing.T, name string, content []byte, args ...string) (code int, stderr string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, name), filepath.Join(dir, "result.json")
	must.Succeed(t, os.WriteFile(in, content, 0o644))
	return inFolder(t, dir, in, out, strings.NewReader(""), args...)
}

func inFolder(t *testing.T, dir, in, out string, stdin io.Reader, args ...string) (code int, stderr string) {
	t.Helper()
	var stdout, errs bytes.Buffer
	code = command.Run(context.Background(), lab.All, append(args, in, "--output", out), stdin, &stdout, &errs, wings.All...)
	stderr = strings.ReplaceAll(errs.String(), dir+string(filepath.Separator), "")
	written, err := os.ReadFile(out)
	switch {
	case code != 0 && err == nil && args[0] != "check": // check reports the problem on standard output
		t.Errorf("exit code %d and yet an output", code)
	case code != 0 && strings.TrimSpace(strings.TrimPrefix(stderr, "polydag:")) == "":
		t.Errorf("exit code %d and no message", code)
	case code == 0 && err != nil:
		t.Errorf("exit code 0 and no output: %v", err)
	case bytes.Contains(written, []byte("NaN")), strings.Contains(stdout.String(), "NaN"), strings.Contains(stderr, "NaN"):
		t.Errorf("NaN in\n%s%s%s", written, stdout.String(), stderr)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return code, stderr
}

func utf16Text(s string, order binary.ByteOrder, mark bool) []byte {
	var b bytes.Buffer
	if mark {
		s = "\ufeff" + s
	}
	binary.Write(&b, order, utf16.Encode([]rune(s)))
	return b.Bytes()
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

const small = "a,b\n1,2\n2,1\n3,5\n4,4\n5,7\n"

// What users bring by accident, and what nobody should: each ends in one line with the file, the place and the way out.
func TestHostileTables(t *testing.T) {
	var names []string
	for j := range 90_000 {
		names = append(names, fmt.Sprintf("c%d", j))
	}
	wide := strings.Join(names, ",")
	for _, c := range []struct {
		name, content, want string
		code                int
	}{
		{"empty.csv", "", `empty.csv: the file is empty`, 1},
		{"blank.csv", "\n\n\n", `blank.csv: the file is empty`, 1},
		{"mark.csv", "\xef\xbb\xbf", `mark.csv: the file is empty`, 1},
		{"header.csv", "a,b\n", `header.csv: the file has a header but no data; add at least three rows`, 1},
		{"onerow.csv", "a,b\n1,2\n", `only one row of data; add rows`, 1},
		{"tworows.csv", "a,b\n1,2\n2,1\n", `tworows.csv: the table has 2 rows; at least 3 are needed`, 1},
		{"onecolumn.csv", "a\n1\n2\n3\n", `onecolumn.csv: line 1: there is only one column; add columns`, 1},
		{"twins.csv", "a,a\n1,2\n2,1\n3,3\n", `note: Names of columns are empty or repeated: column 2, another a, is a_2`, 0},
		{"noname.csv", "a,\n1,2\n2,1\n3,3\n", `note: Names of columns are empty or repeated: column 2 without a name is column_2`, 0},
		{"ragged.csv", "a,b\n1,2\n1,2,3\n", `line 3, row 2: wrong number of fields`, 1},
		{"quote.csv", "a,b\n1,2\n2,\"1\n3,3\n", `line 3, row 2, column 2 \(b\): .* has a misplaced quote`, 1},
		{"nul.csv", "a,b\n1,2\n2\x00,1\n3,3\n", `not a text table \(binary data, byte 10 is NUL\)`, 1},
		{"nul-late.csv", small + strings.Repeat("1,2\n", 5000) + "1,\x00\n", `nul-late.csv: not a text table \(binary data, byte 20027 is NUL\)`, 1},
		{"utf16.csv", string(utf16Text(small, binary.LittleEndian, true)), ``, 0},
		{"utf16be.csv", string(utf16Text(small, binary.BigEndian, true)), ``, 0},
		{"utf16bare.csv", string(utf16Text(small, binary.LittleEndian, false)), `UTF-16 text without a byte order mark`, 1},
		{"latin1name.csv", "gr\xf6\xdfe,b\n1,2\n2,1\n3,3\n", ``, 0},
		{"mac.csv", "a,b\r1,2\r2,1\r3,3\r", ``, 0},
		{"inf.csv", "a,b\n1,2\n2,inf\n3,3\n", `only one numeric column is left \(a\)`, 1},
		{"huge.csv", "a,b\n1,1e300\n2,-1e300\n3,1e299\n4,5\n", `huge.csv: .*column 2 \(b\).*overflow; divide the column by a power of ten`, 1},
		{"constant.csv", "a,b\n1,2\n2,2\n3,2\n", `constant.csv: fewer than two usable columns; excluded: b: constant \(every value is 2\)`, 1},
		{"wide.csv", wide + "\n" + wide + "\n", `wide.csv: too many columns \(90000, limit 80000\)`, 1},
		{"wide-header.csv", strings.Join(names[:10_000], ",") + "\n", `wide-header.csv: the file has a header but no data`, 1},
		{"page.csv", "<!DOCTYPE html>\n<html><body>log in</body></html>\n", `page.csv: .*it is a web page`, 1},
		{"sheet.xlsx", "PK\x03\x04 this is no archive", `sheet.xlsx: `, 1},
		{"program.csv", "\x7fELF\x02\x01\x01", `program.csv: .*it is a program`, 1},
		{"packed.csv.xz", "\xfd7zXZ\x00\x00\x04", `packed with xz: run xz -d`, 1},
		{"cut.csv.gz", string(gzipped([]byte(small))[:20]), `cut.csv.gz: .*the gzip data ends early.*copy or export it again`, 1},
		{"not.csv.gz", "\x1f\x8bthis is not gzip", `not.csv.gz: .*damaged or cut short`, 1},
		{"bomb.csv.gz", string(gzipped(append([]byte("a,b\n1,"), bytes.Repeat([]byte("7"), 80<<20)...))), `bomb.csv.gz: line 2, row 1: the line is too long`, 1},
		{"absurd.parquet", "PAR1" + strings.Repeat("\x00", 20) + "\xff\xff\xff\x7fPAR1", `absurd.parquet: .*damaged or cut short`, 1},
		{"short.parquet", "PAR1", `short.parquet: .*damaged or cut short`, 1},
		{"short.arrow", "ARROW1\x00\x00", `short.arrow: .*damaged or cut short`, 1},
		{"absurd.arrow", "\xff\xff\xff\xff\xff\xff\xff\x7f", `absurd.arrow: .*damaged or cut short`, 1},
		{"absurd.npy", "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 10), }\n", `absurd.npy: `, 1},
		{"pickle.npy", "\x93NUMPY\x01\x00\x46\x00{'descr': '|O', 'fortran_order': False, 'shape': (10, 10), }       \n", `pickle.npy: `, 1},
		{"short.db", "SQLite format 3\x00", `short.db: .*it is an SQLite database: run sqlite3 -header -csv FILE 'select \* from TABLE' > table.csv`, 1},
		{"half.jsonl", `{"a": 1, "b": 2}` + "\n" + `{"a": 1, "b"`, `half.jsonl: line 2, row 2`, 1},
		{"nested.jsonl", `{"a": {"x": 1}, "b": 2}` + "\n", `nested.jsonl: line 1, row 1`, 1},
		{"deep.jsonl", strings.Repeat("[", 100_000), `deep.jsonl: `, 1},

		{"spaces.csv", " a , b \n 1 , 2 \n 2 , 1 \n 3 , 5 \n 4,4\n", ``, 0},
		{"crlf.csv", strings.ReplaceAll(small, "\n", "\r\n"), ``, 0},
		{"blanklines.csv", "\n\n" + strings.ReplaceAll(small, "\n", "\n\n"), ``, 0},
		{"names.csv", "\"a\nb\",\"x,\"\"y\"\"\"\n1,2\n2,1\n3,5\n4,4\n", ``, 0},
		{"umlaut.csv", "größe,重さ\n1,2\n2,1\n3,5\n4,4\n", ``, 0},
		{"tiny.csv", "a,b\n1e-300,2\n2e-300,1\n3e-300,5\n4e-300,4\n", `tiny.csv: the values of a are so small that their variance is 0; multiply by a power of ten`, 1},
		{"shifted.csv", "a,b\n1e15,2\n1000000000000001,1\n1000000000000002,5\n1000000000000003,4\n", ``, 0},
		{"large.csv", "a,b\n1e100,2\n2e100,1\n3e100,5\n4e100,4\n", ``, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stderr := learnBytes(t, c.name, []byte(c.content), "learn", "--method", "order")
			if code != c.code || !regexp.MustCompile(c.want).MatchString(stderr) {
				t.Errorf("exit code %d, want %d; message %q, want %q", code, c.code, stderr, c.want)
			}
			if code != 0 && strings.Count("\n"+stderr, "\npolydag: ") != 1 {
				t.Errorf("not one message: %q", stderr)
			}
			for _, command := range []string{"check", "moments", "counts"} {
				if code, stderr := learnBytes(t, c.name, []byte(c.content), command, "--quiet"); code > 1 || c.code == 0 && code != 0 {
					t.Errorf("%s: exit code %d: %s", command, code, stderr)
				}
			}
		})
	}
}

// Of a table with 10,000 columns a few are learned from at the price of a few.
func TestFewOfManyColumns(t *testing.T) {
	var b strings.Builder
	for i := range 6 {
		for j := range 10_000 {
			if j > 0 {
				b.WriteByte(',')
			}
			switch {
			case i == 0:
				fmt.Fprintf(&b, "c%d", j)
			default:
				fmt.Fprintf(&b, "%d", (i*i*i*(j+3)+7*i+j)%101)
			}
		}
		b.WriteByte('\n')
	}
	code, stderr := learnBytes(t, "t.csv", []byte(b.String()), "learn", "--method", "order", "--model", "linear", "--columns", "c1", "--columns", "c999*", "--max-memory", "50M")
	if code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// Escape sequences of a terminal in names do not reach it.
func TestNamesCannotSteerATerminal(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "t.csv")
	must.Succeed(t, os.WriteFile(in, []byte("a\x1b[31m,b\x07\n1,2\n2,1.5\n3,3.5\n4,4\n5,5.1\n6,5.9\n"), 0o644))
	for _, args := range [][]string{{"learn", in}, {"learn", in, "--verbose"}, {"check", in}, {"learn", in, "--columns", "q"}} {
		var out, errs bytes.Buffer
		command.Run(context.Background(), lab.All, args, strings.NewReader(""), &out, &errs, wings.All...)
		if s := out.String() + errs.String(); strings.ContainsAny(s, "\x1b\x07") {
			t.Errorf("%v: %q", args, s)
		}
	}
}

// sevens is a stream of 1 GB of one digit. What reads it may outlive the command.
type sevens struct{ read atomic.Int64 }

func (s *sevens) Read(p []byte) (int, error) {
	if s.read.Load() >= 1<<30 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = '7'
	}
	s.read.Add(int64(len(p)))
	return len(p), nil
}

// A line of 1 GB is refused at the limit: the rest of it is not even read.
func TestOneLongLine(t *testing.T) {
	for _, start := range []string{"", "a,b\n1,2\n3,", "a,b\n1,2\n3,\"", `{"a": 1, "b": "`, "{\"a\": 1, \"b\": 2}\n{\"a\": "} {
		dir := t.TempDir()
		var long sevens
		stream := io.MultiReader(strings.NewReader(start), &long, strings.NewReader("\n5,6\n"))
		code, stderr := inFolder(t, dir, "-", filepath.Join(dir, "r.json"), stream, "learn")
		if code != 1 || !strings.Contains(stderr, "standard input: line ") || !strings.Contains(stderr, "too long") {
			t.Errorf("after %q: exit code %d: %s", start, code, stderr)
		}
		if read := long.read.Load(); read > 256<<20 {
			t.Errorf("after %q: %d MB were read", start, read>>20)
		}
	}
}

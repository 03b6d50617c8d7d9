package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

func readJSON(t testing.TB, text string, opt Settings) (*content, error) {
	src, err := fromMemory([]byte(text), JSONLines, opt)
	if err != nil {
		return nil, err
	}
	return drain(t, src)
}

func TestJSONForms(t *testing.T) {
	for name, text := range map[string]string{
		"lines":           "{\"a\":1,\"b\":2.5}\n{\"a\":3,\"b\":null}\n",
		"no last newline": "{\"a\":1,\"b\":2.5}\n{\"a\":3,\"b\":null}",
		"other order":     "{\"a\":1,\"b\":2.5}\n{\"b\":null,\"a\":3}\n",
		"absent key":      "{\"a\":1,\"b\":2.5}\n{\"a\":3}\n",
		"later key":       "{\"a\":1,\"b\":2.5}\n{\"a\":3}\n",
		"CRLF":            "{\"a\":1,\"b\":2.5}\r\n\r\n{\"a\":3,\"b\":null}\r\n",
		"BOM":             "\ufeff{\"a\":1,\"b\":2.5}\n{\"a\":3,\"b\":null}\n",
		"array":           "[{\"a\":1,\"b\":2.5}, {\"a\":3,\"b\":null}]",
		"pretty array":    "[\n  {\n    \"a\": 1,\n    \"b\": 2.5\n  },\n  {\n    \"a\": 3,\n    \"b\": null\n  }\n]\n",
		"one line":        "{\"a\":1,\"b\":2.5}{\"a\":3,\"b\":null}",
		"Python's NaN":    "{\"a\":1,\"b\":2.5}\n{\"a\":3,\"b\":NaN}\n",
		"escaped key":     "{\"\\u0061\":1,\"b\":2.5}\n{\"a\":3,\"b\":null}\n",
	} {
		got, err := readJSON(t, text, options())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fmt.Sprint(got.names, got.values) != "[a b] [1 2.5 3 NaN]" {
			t.Errorf("%s: %v %v", name, got.names, got.values)
		}
	}
}

func TestJSONFaults(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1}\n{\"a\":2,\n\"b\" 3}\n": "line 3",
		"{\"a\":1}\n{\"a\":x}\n":           `line 2, row 2, column 1 (a): "x" is not valid JSON`,
		"{\"a\":1}\n{\"a\":01}\n":          `"01"`,
		"{\"a\":1}\n{\"a\":1,\"a\":2}\n":   `the key "a" comes twice`,
		"{\"a\":1}\n{\"a\":[1,2]}\n":       "line 2, row 2, column 1 (a): the column holds lists",
		"{\"a\":1}\n[1,2]\n":               "a record starts with {",
		"{\"a\":1}\n{\"a\":1":              "the last record is not closed",
		"[{\"a\":1} {\"a\":1}]":            "a comma is missing",
		"[{\"a\":1}":                       "the array is not closed",
		"[{\"a\":1}] x":                    "there is more after the array",
		"{\"a\":\"\x01\"}":                 "control character",
		"{\"a\":\"\\q\"}":                  "unknown escape",
		"{\"a\":\"\xff\"}":                 "not UTF-8",
		"{\"\":1}":                         "the name is empty",
		"":                                 "the file is empty",
		"{\"a\":{\"0\":1,\"1\":2}}":        "orient=\"records\"",
	} {
		_, err := readJSON(t, text, options())
		var e *dataset.ParseError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	// A key that comes up after the first megabyte.
	late := strings.Repeat("{\"a\":1,\"b\":\"xxxxxxxxxxxxxxxxxxxx\"}\n", 1<<20/32) + "{\"a\":1,\"new\":2}\n"
	_, err := readJSON(t, late, options())
	if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), fmt.Sprintf(`line %d, row %d: "new" is a key`, 1<<20/32+1, 1<<20/32+1)) {
		t.Error(err)
	}
	opt := options()
	opt.CSV.MaxLine = 1000
	if _, err := readJSON(t, "{\"a\":1}\n{\"a\":\""+strings.Repeat("x", 2000)+"\"}", opt); !errors.Is(err, dataset.ErrLineTooLong) {
		t.Error(err)
	}
}

// The slow twin: encoding/json, object by object.
func jsonTwin(text string) (names []string, rows []map[string]any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF {
			return names, rows, nil
		} else if err != nil {
			return nil, nil, err
		}
		keys := json.NewDecoder(bytes.NewReader(raw))
		keys.Token()
		for keys.More() {
			k, _ := keys.Token()
			if !slices.Contains(names, k.(string)) {
				names = append(names, k.(string))
			}
			var skip any
			keys.Decode(&skip)
		}
		row := map[string]any{}
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
}

func TestJSONAgreesWithEncodingJSON(t *testing.T) {
	text := string(mixed(500, 51).jsonLines(t, false)) + `{"extra":"a\"\\\/\b\u00e9\ud83d\ude00","a_float":-1.5E+3}` + "\n" + `{"a_float":1e-400}` + "\n"
	names, rows, err := jsonTwin(text)
	must.Succeed(t, err)
	got, err := readJSON(t, text, options())
	must.Succeed(t, err)
	if fmt.Sprint(names) != fmt.Sprint(got.names) || len(rows) != got.rows {
		t.Fatalf("%q, %d rows; want %q, %d", got.names, got.rows, names, len(rows))
	}
	for i, row := range rows {
		for j, name := range names {
			x, text := math.NaN(), ""
			switch v := row[name].(type) {
			case float64:
				x = v
			case bool:
				if x = 0; v {
					x = 1
				}
			case string:
				text = v
			}
			if g := got.values[i*len(names)+j]; g != x && !(math.IsNaN(g) && math.IsNaN(x)) || got.texts[[2]int{i, j}] != text {
				t.Fatalf("row %d, %s: %v %q, want %v %q", i, name, g, got.texts[[2]int{i, j}], x, text)
			}
		}
	}
}

// Records cut anywhere by the reader, and longer than the buffer.
func TestJSONPieces(t *testing.T) {
	text := "[" + strings.Repeat(" {\"a\": 1, \"t\": \"x\\\"}\"},\n", 50) + "{\"a\": 2, \"t\": \"" + strings.Repeat("long ", 400_000) + "\"} ]"
	want, err := readJSON(t, text, options())
	must.Succeed(t, err)
	src, err := fromStream(iotest.HalfReader(strings.NewReader(text)), JSONLines, options())
	must.Succeed(t, err)
	got, err := drain(t, src)
	must.Succeed(t, err)
	same(t, got, want)
	if got.rows != 51 || got.texts[[2]int{0, 1}] != "x\"}" {
		t.Errorf("%d rows", got.rows)
	}
	// The first record alone is longer than what is searched for keys.
	first := "{\"t\": \"" + strings.Repeat("long ", 400_000) + "\", \"a\": 1}\n{\"t\": null, \"a\": 2}\n"
	src, err = fromStream(iotest.OneByteReader(strings.NewReader(first)), JSONLines, options())
	must.Succeed(t, err)
	if got, err = drain(t, src); err != nil || got.rows != 2 || got.values[3] != 2 {
		t.Errorf("%v %v", got, err)
	}
	b := dataset.Batch{}
	src, _ = fromMemory([]byte("{\"a\":\"x\"}\n\n{\"a\":\n\"y\"}"), JSONLines, options())
	must.Succeed(t, src.Next(context.Background(), &b))
	if b.Cells[0].Line != 1 || b.Cells[1].Line != 3 {
		t.Errorf("lines %d and %d", b.Cells[0].Line, b.Cells[1].Line)
	}
}

func TestJSONUnselectedKeysMayBeAnything(t *testing.T) {
	text := "{\"a\":1,\"b\":{\"x\":[1,2,\"}\"]},\"c\":2}\n{\"a\":3,\"b\":[[]],\"c\":4}\n"
	src, err := fromMemory([]byte(text), JSONLines, options())
	must.Succeed(t, err)
	must.Succeed(t, src.Select([]int{2, 0}))
	got, err := drain(t, src)
	must.Succeed(t, err)
	if fmt.Sprint(got.values) != "[2 1 4 3]" {
		t.Error(got.values)
	}
}

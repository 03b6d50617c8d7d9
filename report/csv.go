package report

import (
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/csv"
)

// EdgesCSV writes one edge per line under the header from,to,weight,standardized,mark,compelled. It adds
// gain and the verdict with its probabilities if an edge has them. Columns without edges are not included. The two weights are
// empty if the edge has none.
// A name that a spreadsheet would run as a formula gets a leading apostrophe; Raw writes names unchanged. The edges are those of
// r.Claimed, so that the mark --> is a stated direction.
func EdgesCSV(r *polydag.Result) func(io.Writer) error { return edgesCSV(r.Claimed(), csv.Escape) }

func edgesCSV(r *polydag.Result, safe func(string) string) func(io.Writer) error {
	return func(w io.Writer) error {
		gain, judged := false, false
		for _, e := range r.AllEdges() {
			gain, judged = gain || e.Gain != 0, judged || e.Verdict != ""
		}
		buf := []byte("from,to,weight,standardized,mark,compelled")
		if gain {
			buf = append(buf, ",gain"...)
		}
		if judged {
			buf = append(buf, ",verdict,confidence,p_adjacent,p_direction,basis"...)
		}
		if r.Time != nil {
			buf = append(buf, ",lag"...)
		}
		buf = append(buf, '\n')
		for _, e := range r.AllEdges() {
			buf = append(appendCSV(buf, safe(e.From)), ',')
			buf = append(appendCSV(buf, safe(e.To)), ',')
			if r.HasWeight(e) {
				buf = appendNumber(append(appendNumber(buf, e.Weight), ','), e.Standardized)
			} else {
				buf = append(buf, ',')
			}
			buf = append(buf, ',')
			buf = append(appendCSV(buf, e.Mark), ',')
			buf = strconv.AppendBool(buf, e.Compelled)
			if gain {
				buf = appendNumber(append(buf, ','), e.Gain)
			}
			if judged {
				buf = append(append(append(buf, ','), e.Verdict...), ',')
				buf = append(appendNumber(buf, e.Confidence), ',')
				buf = append(appendNumber(buf, e.PAdjacent), ',')
				buf = append(appendNumber(buf, e.PDirection), ',')
				buf = append(buf, e.RestsOn()...)
			}
			if r.Time != nil {
				buf = strconv.AppendInt(append(buf, ','), int64(e.Lag), 10)
			}
			buf = append(buf, '\n')
		}
		_, err := w.Write(buf)
		return err
	}
}

// matrixCSV writes the weight matrix: the header has an empty field and then the names, and each row has its
// name and the weights of its edges, see matrixRows. Names are written as in EdgesCSV.
func matrixCSV(r *polydag.Result, safe func(string) string) func(io.Writer) error {
	return func(w io.Writer) error {
		rows, err := matrixRows(r, "adjacency")
		if err != nil {
			return err
		}
		var buf []byte
		for _, name := range r.Names {
			buf = appendCSV(append(buf, ','), safe(name))
		}
		buf = append(buf, '\n')
		for i, row := range rows {
			buf = appendCSV(buf, safe(r.Names[i]))
			for _, v := range row {
				buf = appendNumber(append(buf, ','), v)
			}
			buf = append(buf, '\n')
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		_, err = w.Write(buf) // the header, if there are no rows
		return err
	}
}

// appendCSV appends a field, in quotes unless it is a plain word, because readers differ in trimming and
// detection.
func appendCSV(buf []byte, s string) []byte {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' && r != '-'
	})
	if plain {
		return append(buf, s...)
	}
	buf = append(buf, '"')
	buf = append(buf, strings.ReplaceAll(s, `"`, `""`)...)
	return append(buf, '"')
}

// appendNumber appends the shortest text that reads back as the same float64.
func appendNumber(buf []byte, v float64) []byte { return strconv.AppendFloat(buf, v, 'g', -1, 64) }

// number returns the shortest text that reads back as the same float64.
func number(v float64) string { return string(appendNumber(nil, v)) }

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// These are the schemas of the output of --json that no other package defines. docs/schema has a file for each.
const (
	evaluationSchema  = "polydag.evaluation/1"
	explanationSchema = "polydag.explanation/1"
	questionsSchema   = "polydag.questions/1"
	testSchema        = "polydag.test/1"
	whySchema         = "polydag.why/1"
)

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// answer prints a value to standard output: as JSON with a schema, or as text.
func (a *app) answer(ctx context.Context, asJSON bool, schema string, v any, text func(io.Writer) error) error {
	if asJSON {
		return a.data(ctx, "-", func(w io.Writer) error { return writeStamped(w, schema, v) })
	}
	return a.write(ctx, "-", text)
}

// writeStamped writes a struct as an indented object whose first key is schema.
func writeStamped(w io.Writer, schema string, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Schema string `json:"schema"`
	}{schema}); err != nil {
		return err
	}
	text.Truncate(text.Len() - len("}\n"))
	head := text.Len()
	if err := enc.Encode(v); err != nil {
		return err
	}
	whole := text.Bytes()
	if whole[head] != '{' || whole[head+1] == '}' {
		return errors.New("command: only an object with keys has a schema")
	}
	whole[head] = ','
	var out bytes.Buffer
	if err := json.Indent(&out, whole, "", "  "); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

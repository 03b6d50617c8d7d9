package param

import (
	"bytes"
	"encoding/json"
)

// A Record has the settings of a run as used, in the order of their description. Its JSON is an object.
type Record []Entry

// An Entry is one setting of a Record.
type Entry struct {
	Key   string
	Value any // int, float64, bool or string; after reading JSON, the type of encoding/json
}

// Record returns the settings that the method reads, with their values.
func (s *Set) Record() Record {
	var r Record
	for _, it := range s.items {
		if it.Used() {
			r = append(r, Entry{it.Key(), it.Value()})
		}
	}
	return r
}

// Get returns the value of a setting, or nil.
func (r Record) Get(key string) any {
	for _, e := range r {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

func (r Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := appendJSON(&b, e.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := appendJSON(&b, e.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// appendJSON leaves < > & unescaped, so that the encoder of the whole decides.
func appendJSON(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end
	return nil
}

// UnmarshalJSON reads an object and keeps its order.
func (r *Record) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		if t == nil && err == nil { // null
			*r = nil
			return nil
		}
		return &json.UnmarshalTypeError{Value: "settings", Offset: d.InputOffset()}
	}
	*r = nil
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return err
		}
		*r = append(*r, Entry{key.(string), v})
	}
	_, err := d.Token()
	return err
}

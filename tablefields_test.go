package polydag

import (
	"reflect"
	"testing"
)

// Few fields of a table may be nil, so that its methods need not ask which are: what differs between tables is in the type of its rows.
func TestFewFieldsMayBeNil(t *testing.T) {
	const most = 6
	var found []string
	for f := range reflect.TypeFor[Table]().Fields() {
		switch f.Type.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Interface, reflect.Chan:
			found = append(found, f.Name)
		}
	}
	if len(found) > most {
		t.Errorf("%d fields may be nil, want at most %d: %v", len(found), most, found)
	}
}

// A table that a caller made of its exported fields alone has rows that cannot be read.
func TestTableOfFields(t *testing.T) {
	own := &Table{Moments: FromMoments(nil).Moments}
	if rows := own.form(); rows.pass() != nil || rows.groups() != nil || own.Incomplete() || own.TimeSeries() != nil {
		t.Errorf("%+v", rows)
	}
}

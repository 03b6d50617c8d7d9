package param

import "reflect"

// Fill returns settings with the fields of defaults in place of its empty ones.
func Fill[T any](settings, defaults T) T {
	s, d := reflect.ValueOf(&settings).Elem(), reflect.ValueOf(defaults)
	for i := range s.NumField() {
		if s.Field(i).IsZero() {
			s.Field(i).Set(d.Field(i))
		}
	}
	return settings
}

// Package auto chooses the method for a table. So far that is always the order search.
//
// Experimental: the API of this package may change before 1.0.
package auto

import (
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

// Method has the settings of the method it chooses.
type Method struct{ *order.Method }

// New returns the method with its defaults.
func New() *Method { return &Method{order.New()} }

// Info describes the method.
func (m *Method) Info() method.Info {
	i := m.Method.Info()
	i.Name, i.Title = "auto", "default: the order search, with a model chosen from the column kinds"
	return i
}

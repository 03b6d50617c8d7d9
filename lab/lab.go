// Package lab lists the published methods that are here for comparison, beside those of the core. Its folders have these methods, the
// studies of all methods, and the benchmarks.
//
// Experimental: the API of this package may change before 1.0.
package lab

import (
	"github.com/polydag/polydag"
	"github.com/polydag/polydag/lab/alias"
	"github.com/polydag/polydag/lab/bcdnets"
	"github.com/polydag/polydag/lab/cidag"
	"github.com/polydag/polydag/lab/daggnn"
	"github.com/polydag/polydag/lab/dagma"
	"github.com/polydag/polydag/lab/dcdfg"
	"github.com/polydag/polydag/lab/dcdi"
	"github.com/polydag/polydag/lab/dibs"
	"github.com/polydag/polydag/lab/diffan"
	"github.com/polydag/polydag/lab/dpdag"
	"github.com/polydag/polydag/lab/dynotears"
	"github.com/polydag/polydag/lab/enco"
	"github.com/polydag/polydag/lab/golem"
	"github.com/polydag/polydag/lab/grandag"
	"github.com/polydag/polydag/lab/mlp"
	"github.com/polydag/polydag/lab/nocurl"
	"github.com/polydag/polydag/lab/notears"
	"github.com/polydag/polydag/lab/sam"
	"github.com/polydag/polydag/lab/score"
	"github.com/polydag/polydag/lab/tmpi"
	"github.com/polydag/polydag/method"
)

// Methods returns every method of the lab with its default settings. Each call returns new values that the caller may change.
func Methods() []method.Method {
	return []method.Method{
		alias.New(),
		score.New(),
		diffan.New(),
		notears.New(),
		tmpi.New(),
		cidag.New(),
		golem.NewEqual(),
		golem.NewUnequal(),
		nocurl.New(),
		dagma.New(),
		mlp.NewNOTEARS(),
		mlp.NewDAGMA(),
		grandag.New(),
		daggnn.New(),
		sam.New(),
		dibs.New(),
		bcdnets.New(),
		dpdag.New(),
		enco.New(),
		dcdi.New(),
		dcdfg.New(),
		dynotears.New(),
	}
}

// All returns the methods of the core and those of the lab.
func All() []method.Method { return append(polydag.Methods(), Methods()...) }

// Find returns the method of All with a name.
func Find(name string) (method.Method, error) { return polydag.MethodList(All).Find(name) }

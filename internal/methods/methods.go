// Package methods lists the methods of the core.
package methods

import (
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/anm"
	"github.com/polydag/polydag/method/continuous"
	"github.com/polydag/polydag/method/fci"
	"github.com/polydag/polydag/method/ges"
	"github.com/polydag/polydag/method/lingam"
	"github.com/polydag/polydag/method/mmhc"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/orderfci"
	"github.com/polydag/polydag/method/paper"
	"github.com/polydag/polydag/method/pc"
	"github.com/polydag/polydag/method/pcmciplus"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/method/varlingam"
)

// All returns every method of the core with its default settings, the default method first. Each call returns new values that the
// caller may change.
func All() []method.Method {
	return []method.Method{
		order.NewAutomatic(),
		order.New(),
		ges.New(),
		ges.NewFast(),
		mmhc.New(),
		lingam.New(),
		anm.New(),
		continuous.New(),
		polydag.New(),
		paper.NewGeo(),
		paper.NewPoly(),
		paper.NewExp(),
		pc.New(),
		fci.New(),
		fci.NewRFCI(),
		orderfci.New(),
		varlingam.New(),
		pcmciplus.New(),
	}
}

// LagSearch returns the method that decides how many lags a time series gets: a search for linear effects with Gaussian noise of unequal
// variances.
func LagSearch() method.Method {
	lines := order.New()
	lines.Model, lines.Noise, lines.Variance = order.Linear, order.GaussianNoise, order.Unequal
	return rowTests{lines}
}

// rowTests is an order search that needs moments only, and tests its edges on the rows nevertheless.
type rowTests struct{ *order.Method }

func (m rowTests) Info() method.Info {
	info := m.Method.Info()
	info.Needs = method.Either
	return info
}

// Package methods lists the methods.
package methods

import (
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/alias"
	"github.com/polydag/polydag/method/anm"
	"github.com/polydag/polydag/method/auto"
	"github.com/polydag/polydag/method/bcdnets"
	"github.com/polydag/polydag/method/cidag"
	"github.com/polydag/polydag/method/continuous"
	"github.com/polydag/polydag/method/daggnn"
	"github.com/polydag/polydag/method/dagma"
	"github.com/polydag/polydag/method/dagmamlp"
	"github.com/polydag/polydag/method/dcdfg"
	"github.com/polydag/polydag/method/dcdi"
	"github.com/polydag/polydag/method/dibs"
	"github.com/polydag/polydag/method/diffan"
	"github.com/polydag/polydag/method/dpdag"
	"github.com/polydag/polydag/method/dynotears"
	"github.com/polydag/polydag/method/enco"
	"github.com/polydag/polydag/method/fci"
	"github.com/polydag/polydag/method/fges"
	"github.com/polydag/polydag/method/ges"
	"github.com/polydag/polydag/method/golemev"
	"github.com/polydag/polydag/method/golemnv"
	"github.com/polydag/polydag/method/grandag"
	"github.com/polydag/polydag/method/lingam"
	"github.com/polydag/polydag/method/mmhc"
	"github.com/polydag/polydag/method/nocurl"
	"github.com/polydag/polydag/method/notears"
	"github.com/polydag/polydag/method/notearsexp"
	"github.com/polydag/polydag/method/notearsmlp"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/orderfci"
	"github.com/polydag/polydag/method/pc"
	"github.com/polydag/polydag/method/pcmciplus"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/method/polydaggeo"
	"github.com/polydag/polydag/method/polydagpoly"
	"github.com/polydag/polydag/method/rfci"
	"github.com/polydag/polydag/method/sam"
	"github.com/polydag/polydag/method/score"
	"github.com/polydag/polydag/method/tmpi"
	"github.com/polydag/polydag/method/varlingam"
)

// All returns every method with its default settings, the default method first. Each call returns new values that the
// caller may change.
func All() []method.Method {
	return []method.Method{
		auto.New(),
		order.New(),
		ges.New(),
		fges.New(),
		mmhc.New(),
		alias.New(),
		lingam.New(),
		anm.New(),
		score.New(),
		diffan.New(),
		continuous.New(),
		polydag.New(),
		polydaggeo.New(),
		polydagpoly.New(),
		notearsexp.New(),
		notears.New(),
		tmpi.New(),
		cidag.New(),
		golemev.New(),
		golemnv.New(),
		nocurl.New(),
		dagma.New(),
		notearsmlp.New(),
		dagmamlp.New(),
		grandag.New(),
		daggnn.New(),
		sam.New(),
		dibs.New(),
		bcdnets.New(),
		dpdag.New(),
		enco.New(),
		dcdi.New(),
		dcdfg.New(),
		pc.New(),
		fci.New(),
		rfci.New(),
		orderfci.New(),
		varlingam.New(),
		pcmciplus.New(),
		dynotears.New(),
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

// Package methods lists the methods.
package methods

import (
	"github.com/polydag/polydag/lab/alias"
	"github.com/polydag/polydag/lab/bcdnets"
	"github.com/polydag/polydag/lab/cidag"
	"github.com/polydag/polydag/lab/daggnn"
	"github.com/polydag/polydag/lab/dagma"
	"github.com/polydag/polydag/lab/dagmamlp"
	"github.com/polydag/polydag/lab/dcdfg"
	"github.com/polydag/polydag/lab/dcdi"
	"github.com/polydag/polydag/lab/dibs"
	"github.com/polydag/polydag/lab/diffan"
	"github.com/polydag/polydag/lab/dpdag"
	"github.com/polydag/polydag/lab/dynotears"
	"github.com/polydag/polydag/lab/enco"
	"github.com/polydag/polydag/lab/golemev"
	"github.com/polydag/polydag/lab/golemnv"
	"github.com/polydag/polydag/lab/grandag"
	"github.com/polydag/polydag/lab/nocurl"
	"github.com/polydag/polydag/lab/notears"
	"github.com/polydag/polydag/lab/notearsmlp"
	"github.com/polydag/polydag/lab/sam"
	"github.com/polydag/polydag/lab/score"
	"github.com/polydag/polydag/lab/tmpi"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/anm"
	"github.com/polydag/polydag/method/auto"
	"github.com/polydag/polydag/method/continuous"
	"github.com/polydag/polydag/method/fci"
	"github.com/polydag/polydag/method/fges"
	"github.com/polydag/polydag/method/ges"
	"github.com/polydag/polydag/method/lingam"
	"github.com/polydag/polydag/method/mmhc"
	"github.com/polydag/polydag/method/notearsexp"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/orderfci"
	"github.com/polydag/polydag/method/pc"
	"github.com/polydag/polydag/method/pcmciplus"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/method/polydaggeo"
	"github.com/polydag/polydag/method/polydagpoly"
	"github.com/polydag/polydag/method/rfci"
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

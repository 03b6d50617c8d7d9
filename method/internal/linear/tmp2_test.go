package linear_test

import (
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/golemev"
	"github.com/polydag/polydag/method/golemnv"
	"github.com/polydag/polydag/method/nocurl"
	"github.com/polydag/polydag/method/notears"
	"github.com/polydag/polydag/method/tmpi"
)

func extra() []method.Method {
	return []method.Method{notears.New(), tmpi.New(), nocurl.New(), golemev.New(), golemnv.New()}
}

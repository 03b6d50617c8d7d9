package polydag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

// renamed is a method of a program.
type renamed struct {
	*order.Method
	name string
}

func (m renamed) Info() method.Info {
	info := m.Method.Info()
	info.Name, info.Priors = m.name, false
	return info
}

func listOf(names ...string) polydag.MethodList {
	return func() (all []method.Method) {
		for _, name := range names {
			all = append(all, renamed{order.New(), name})
		}
		return all
	}
}

func TestMethodList(t *testing.T) {
	own := listOf("mine", "yours")
	must.Succeed(t, own.Validate())
	must.Same(t, must.Get(own.Find("yours")).Info().Name, "yours", "the method found")
	must.Same(t, own.Config().Method.Info().Name, "mine", "the default method")
	if _, err := own.Find("order"); !errors.Is(err, polydag.ErrConfig) || !strings.HasSuffix(err.Error(), "choose mine, yours") {
		t.Errorf("a method outside the list: %v", err)
	}
	if one, two := must.Get(own.Find("mine")).(renamed), must.Get(own.Find("mine")).(renamed); one.Method == two.Method {
		t.Error("two calls of Find return the same value")
	}
	must.Same(t, len(polydag.MethodList(nil).All()), len(polydag.Methods()), "methods of the nil list")
	for want, bad := range map[string]polydag.MethodList{
		"is empty": listOf(), "has no name": listOf("mine", ""), "two methods with the name mine": listOf("mine", "yours", "mine"),
		"method 1 of the list is nil": func() []method.Method { return []method.Method{nil} },
	} {
		if err := bad.Validate(); !errors.Is(err, polydag.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		cfg := polydag.DefaultConfig()
		if cfg.Methods = bad; !errors.Is(cfg.Validate(), polydag.ErrConfig) {
			t.Errorf("a configuration takes the list that %s", want)
		}
	}
	if err := listOf().Config().Validate(); err == nil {
		t.Error("the configuration of the empty list is valid")
	}
}

// A remedy names a method of the list of the configuration.
func TestRemediesNameMethodsOfTheList(t *testing.T) {
	cfg := listOf("first", "mine").Config()
	cfg.Method = must.Get(cfg.Methods.Find("mine"))
	cfg.Knowledge.Prior = []string{"a->b=0.8"}
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "first") {
		t.Errorf("%v, want the method first", err)
	}
}

package series

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/knowledge"
)

// Present returns prior knowledge with sales instead of sales(t).
func Present(spec knowledge.Spec) knowledge.Spec {
	spec.Require, spec.Forbid = mapped(spec.Require, present), mapped(spec.Forbid, present)
	spec.Prior = mapped(spec.Prior, func(text string) string {
		at := max(0, strings.LastIndexByte(text, '='))
		return present(text[:at]) + text[at:]
	})
	return spec
}

// SameTime returns the part of prior knowledge that is about values of the same time.
func SameTime(spec knowledge.Spec) knowledge.Spec {
	same := func(list []string) []string {
		return mapped(slices.DeleteFunc(slices.Clone(list), func(text string) bool { return strings.Contains(text, "(t-") }), present)
	}
	spec.Require, spec.Forbid = same(spec.Require), same(spec.Forbid)
	return spec
}

// present writes an edge with sales instead of sales(t).
func present(text string) string {
	ends := strings.Split(text, "->")
	for i, end := range ends {
		ends[i] = strings.TrimSuffix(strings.TrimSpace(end), "(t)")
	}
	return strings.Join(ends, "->")
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

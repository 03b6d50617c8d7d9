// Package param describes the settings of a method, one line per setting. The flags with their help, validation, completion, the
// config file, the recorded settings, the key of a checkpoint and the table in the docs are derived from this description.
//
//	func (m *Method) Params(s *param.Set) {
//		s.Int(&m.Steps, "steps", "largest number of gradient steps", param.AtLeast(1))
//		s.Float(&m.L1, "l1", "weight of the L1 penalty", param.AtLeast(0))
//		param.Word(s, &m.Schedule, "schedule", "order of the steps", Released, Paper)
//	}
//
// A Set has pointers to the method's fields, so setting a value through it sets it in the method. The value of a field when it is
// described is its default.
//
// Experimental: the API of this package may change before 1.0.
package param

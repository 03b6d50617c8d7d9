// Package param describes the settings of a method, one line a setting. Everything that has to know
// them is made from that description: flags with their help, validation, completion, the
// config file, what a result records, the key of a checkpoint and the table in the docs.
//
//	func (m *Method) Params(s *param.Set) {
//		s.Int(&m.Steps, "steps", "largest number of gradient steps", param.AtLeast(1))
//		s.Float(&m.L1, "l1", "weight of the L1 penalty", param.AtLeast(0))
//		param.Word(s, &m.Schedule, "schedule", "order of the steps", Released, Paper)
//	}
//
// A Set holds pointers into the method, so a value that is set through it is set in the method. The
// value that a field has when it is described is its default.
//
// Experimental: the API of this package may change before 1.0.
package param

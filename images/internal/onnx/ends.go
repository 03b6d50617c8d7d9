package onnx

import "slices"

// producer returns the node that computes a value, or nil.
func (m *Model) producer(value string) *node {
	for _, n := range m.nodes {
		if slices.Contains(n.out, value) {
			return n
		}
	}
	return nil
}

// back follows the first operands from an output to the first node for which stop is true, or to nil.
func (m *Model) back(output string, stop func(op string) bool) *node {
	for range m.nodes {
		n := m.producer(output)
		if n == nil || stop(n.op) {
			return n
		}
		if len(n.in) == 0 {
			return nil
		}
		output = n.in[0]
	}
	return nil
}

// Last returns the operator that computes the values of the first output, such as Softmax. Operators that change only the
// shape are passed over.
func (m *Model) Last() string {
	n := m.back(m.Outputs[0].Name, func(op string) bool {
		return !slices.Contains([]string{"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast", "Dropout"}, op)
	})
	if n == nil {
		return ""
	}
	return n.op
}

// Feature returns the name of the value that the last linear layer reads, which describes the whole image. It is empty
// if the model has no such layer.
func (m *Model) Feature() string {
	n := m.back(m.Outputs[0].Name, func(op string) bool { return op == "Gemm" || op == "MatMul" || op == "Conv" })
	if n == nil {
		return ""
	}
	return n.in[0]
}

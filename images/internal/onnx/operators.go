package onnx

import "math"

// operators are the supported operators of the default domain.
var operators map[string]operator

func init() { // the operators refer to the table by Compile
	operators = map[string]operator{
		"Conv": opConv, "MaxPool": opPool, "AveragePool": opPool, "GlobalAveragePool": opGlobalPool, "GlobalMaxPool": opGlobalPool,
		"BatchNormalization": opBatchNorm, "InstanceNormalization": opInstanceNorm, "LayerNormalization": opLayerNorm, "LRN": opLRN,
		"Gemm": opGemm, "MatMul": opMatMul, "Softmax": opSoftmax, "LogSoftmax": opSoftmax,

		"Add": opBinary, "Sub": opBinary, "Mul": opBinary, "Div": opBinary, "Pow": opBinary, "PRelu": opBinary, "Mod": opBinary,
		"Max": opBinary, "Min": opBinary, "Sum": opBinary, "And": opBinary, "Or": opBinary,
		"Equal": opBinary, "Less": opBinary, "LessOrEqual": opBinary, "Greater": opBinary, "GreaterOrEqual": opBinary,

		"Clip": opClip, "Relu": opRelu, "Where": opWhere, "Cast": opCast, "Not": opNot,
		"LeakyRelu": opUnary, "Elu": opUnary, "HardSigmoid": opUnary, "HardSwish": opUnary, "Sigmoid": opUnary, "Tanh": opUnary,
		"Softplus": opUnary, "Gelu": opUnary, "Erf": opUnary, "Exp": opUnary, "Log": opUnary, "Sqrt": opUnary, "Reciprocal": opUnary,
		"Abs": opUnary, "Neg": opUnary, "Floor": opUnary, "Ceil": opUnary, "Round": opUnary,

		"ReduceMean": opReduce, "ReduceSum": opReduce, "ReduceMax": opReduce, "ReduceMin": opReduce, "ReduceL2": opReduce, "ArgMax": opArgMax,

		"Constant": opConstant, "ConstantOfShape": opConstantOfShape, "Shape": opShape, "Identity": opIdentity, "Dropout": opIdentity,
		"Reshape": opReshape, "Flatten": opFlatten, "Squeeze": opSqueeze, "Unsqueeze": opUnsqueeze, "Expand": opExpand,
		"Transpose": opTranspose, "Concat": opConcat, "Slice": opSlice, "Split": opSplit, "Gather": opGather, "Pad": opPad,
	}
}

// unary are the functions of one number, by operator.
var unary = map[string]func(a attributes) func(float32) float32{
	"LeakyRelu": func(a attributes) func(float32) float32 {
		slope := a.float("alpha", 0.01)
		return func(x float32) float32 {
			if x < 0 {
				return slope * x
			}
			return x
		}
	},
	"Elu": func(a attributes) func(float32) float32 {
		alpha := a.float("alpha", 1)
		return func(x float32) float32 {
			if x < 0 {
				return alpha * (exp(x) - 1)
			}
			return x
		}
	},
	"HardSigmoid": func(a attributes) func(float32) float32 {
		alpha, beta := a.float("alpha", 0.2), a.float("beta", 0.5)
		return func(x float32) float32 { return min(max(alpha*x+beta, 0), 1) }
	},
	"HardSwish":  plain(func(x float32) float32 { return x * min(max(x/6+0.5, 0), 1) }),
	"Sigmoid":    plain(sigmoid),
	"Tanh":       plain(func(x float32) float32 { return 2*sigmoid(2*x) - 1 }),
	"Softplus":   inDouble(func(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) }),
	"Gelu":       gelu,
	"Erf":        inDouble(math.Erf),
	"Exp":        plain(exp),
	"Log":        inDouble(math.Log),
	"Sqrt":       inDouble(math.Sqrt),
	"Reciprocal": plain(func(x float32) float32 { return 1 / x }),
	"Abs":        inDouble(math.Abs),
	"Neg":        plain(func(x float32) float32 { return -x }),
	"Floor":      inDouble(math.Floor),
	"Ceil":       inDouble(math.Ceil),
	"Round":      inDouble(math.RoundToEven),
}

func plain(f func(float32) float32) func(attributes) func(float32) float32 {
	return func(attributes) func(float32) float32 { return f }
}

func inDouble(f func(float64) float64) func(attributes) func(float32) float32 {
	return plain(func(x float32) float32 { return float32(f(float64(x))) })
}

// gelu is the Gaussian error linear unit, exact or by tanh.
func gelu(a attributes) func(float32) float32 {
	if a["approximate"].s == "tanh" {
		return func(x float32) float32 { return x * sigmoid(2*float32(math.Sqrt(2/math.Pi))*(x+0.044715*x*x*x)) }
	}
	return func(x float32) float32 { return float32(float64(x) / 2 * (1 + math.Erf(float64(x)/math.Sqrt2))) }
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

// exp returns e^x with an error of about one unit in the last place: x = k·ln 2 + r and a polynomial in r. It is several times
// faster than math.Exp. Reference: expf of the Cephes library.
func exp(x float32) float32 {
	switch {
	case x > 88.37: // 2^127·√2 and more
		return float32(math.Exp(float64(x)))
	case x < -87.33:
		return float32(math.Exp(float64(x)))
	case x != x:
		return x
	}
	k := int32(x*1.44269504+128.5) - 128 // the nearest integer to x/ln 2, from above 0
	r := x - float32(k)*0.693359375
	r += float32(k) * 2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	return (p*r*r + r + 1) * math.Float32frombits(uint32(k+127)<<23)
}

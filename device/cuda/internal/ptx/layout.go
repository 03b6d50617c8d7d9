package ptx

// Offsets of the addresses in a Frame, the record that the kernels beside the product read. All are those of problem 0.
const (
	FrameW        = 8 * iota
	FrameQ        // ∂h/∂A, without its identity
	FrameSW       // S·W
	FrameS        // the score's moments
	FrameY        // (I - W)⁻ᵀ, for a likelihood
	FrameB        // (W∘W)ᵀ times Scale
	FrameN        // (I - W)ᵀ
	FrameL        // sI - (W∘W)ᵀ, for log-det
	FrameM        // Adam's first moment
	FrameV        // and second
	FrameMask     // 1 where an entry may differ from zero, else 0; a number each
	FrameTop      // B⁸, for the trace of B¹⁶
	FrameResidual // I - NY of the last iteration
	FrameResidual2
	FrameR // residual variances, doubles
	FrameControl
	FramePartial // sums of each block
	FrameHistory // a Record for each step
	FrameRates   // two doubles for each step: η/(1-β₁ᵗ) and 1/√(1-β₂ᵗ)
	FrameSize
)

// Offsets in the control block of a problem. Words first, then doubles.
const (
	ControlNext   = 0  // word: the step within this command
	ControlFlag   = 8  // word: 1 + the step whose values were not usable
	ControlTicket = 12 // word: blocks that are done
	ControlRest   = 32 // weight of the score, then a and b of a + b·h
	ControlNow    = 56 // weights of the step at hand
	ControlEqual  = 72 // d / Σr, for equal variances
	ControlLambda = 80
	ControlWidth  = 88
	ControlBeta1  = 96
	ControlBeta2  = 104
	ControlEps    = 112
	ControlTrace  = 120 // h = ControlTrace·tr(Q) + ControlChain·Σ w²q + ControlTop·tr(B¹⁶)
	ControlChain  = 128
	ControlTop    = 136
	ControlLimit  = 144 // largest ‖I - NY‖² of the last iteration
	ControlScale  = 152 // of B
	ControlShift  = 160 // s of log-det
	ControlSize   = 256
)

// A Record of the history: score, penalty and h as doubles, then ‖I - NY‖².
const RecordSize = 32

// Flags of a problem: what the kernels compute.
const (
	Likelihood  = 1 << iota // Gaussian likelihood in place of least squares
	Equal                   // with one variance for all columns
	PenaltyL1               // λ Σ|w|
	PenaltyMCP              // and less λ/γ Σ clamp(w)
	Constrained             // there is an h
	TopTrace                // with a trace of B¹⁶
	LogDet                  // L is kept
	Masked                  // some entries stay zero
	Inverse                 // Y of the likelihood is checked
	InverseH                // Q of log-det is checked
)

// Sums of a block: score, penalty, Σ w²q, tr Q, tr B¹⁶, ‖residual‖².
const sums = 6

// Blocks is the number of blocks of the reduction for one problem; each has Threads threads.
const (
	Blocks  = 128
	Threads = 256
)

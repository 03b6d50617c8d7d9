package ptx

// Offsets of the addresses in a Frame, the record that the kernels beside the product read. All are those of problem 0.
const (
	FrameW        = 8 * iota
	FrameQ        // ∂h/∂A; its diagonal meets the zeros of W and does not matter
	FrameSum      // the matrix of Σ w²·sum in h; Q itself, or the sum of powers
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
	FrameResidual // a power of I - NY, which has to be small
	FrameGuard    // a matrix of the constraint that has to be small
	FrameOld      // W before the last step
	FrameHalfY    // ½ y Δw of the last step, with the y that it began with
	FrameHalfQ    // ½ q Δ(w²), likewise
	FrameR        // residual variances, doubles
	FrameControl
	FramePartial // sums of each block
	FrameHistory // a Record for each step
	FrameRates   // two doubles for each step: η/(1-β₁ᵗ) and 1/√(1-β₂ᵗ)
	FrameSize
)

// Offsets in the control block of a problem. Words first, then doubles.
const (
	ControlNext    = 0  // word: the step within this command
	ControlFlag    = 8  // word: 1 + the step whose values were not usable
	ControlTicket  = 12 // word: blocks that are done
	ControlRest    = 32 // weight of the score, then a and b of a + b·h
	ControlNow     = 56 // weights of the step at hand
	ControlEqual   = 72 // d / Σr, for equal variances
	ControlLambda  = 80
	ControlWidth   = 88
	ControlBeta1   = 96
	ControlBeta2   = 104
	ControlEps     = 112
	ControlTrace   = 120 // h = ControlTrace·tr(Q) + ControlChain·Σ w²·sum + ControlTop·tr(B¹⁶)
	ControlChain   = 128
	ControlTop     = 136
	ControlLimit   = 144 // largest ‖residual‖² + weight of the guard · ‖guard‖²
	ControlGuard   = 152 // that weight
	ControlScale   = 160 // of B
	ControlShift   = 168 // s of log-det
	ControlH       = 176 // log-det: h where the command began, and what its steps changed
	ControlMoved   = 184 // likelihood: what the steps of the command changed of -log|det(I - W)|
	ControlLargest = 192 // the largest entry that was looked for last
	ControlSize    = 256
)

// A Record of the history: score, penalty and h as doubles, then what is held to ControlLimit. The score of a likelihood has
// only the change of -log|det(I - W)| within the command.
const RecordSize = 32

// Flags of a problem: what the kernels compute.
const (
	Likelihood  = 1 << iota // Gaussian likelihood in place of least squares; its inverse is checked
	Equal                   // with one variance for all columns
	PenaltyL1               // λ Σ|w|
	PenaltyMCP              // and less λ/γ Σ clamp(w)
	Constrained             // there is an h
	TopTrace                // with a trace of B¹⁶
	LogDet                  // Q is the inverse of L, and h follows from its changes
	Guarded                 // there is a guard
	Masked                  // some entries stay zero
)

// Sums of a block: score, penalty, Σ w²·sum, tr Q, tr B¹⁶, ‖residual‖² with the guard, change of -log|det(I - W)|, change of h.
const sums = 8

// Blocks is the number of blocks of the reduction for one problem; each has Threads threads.
const (
	Blocks  = 128
	Threads = 256
)

// PartialSize is the bytes that a block of the reduction leaves.
const PartialSize = 8 * sums

package ptx

// These are the offsets of the addresses in a Frame, the record that the kernels other than the product read.
// All are those of problem 0.
const (
	FrameW        = 8 * iota
	FrameQ        // ∂h/∂A; its diagonal is irrelevant because W has zeros there
	FrameSum      // the matrix of Σ w²·sum in h; Q itself, or the sum of powers
	FrameSW       // S·W
	FrameS        // the moments of the score
	FrameY        // (I - W)⁻ᵀ, for a likelihood
	FrameB        // (W∘W)ᵀ times Scale
	FrameN        // (I - W)ᵀ
	FrameL        // sI - (W∘W)ᵀ, for log-det
	FrameM        // Adam's first moment
	FrameV        // Adam's second moment
	FrameMask     // 1 if an entry may be nonzero, otherwise 0; one number each
	FrameTop      // B⁸, for the trace of B¹⁶
	FrameResidual // a power of I - NY, which must be small
	FrameGuard    // a matrix of the constraint that must be small
	FrameOld      // W before the last step
	FrameHalfY    // ½ y Δw of the last step, with y at its start
	FrameHalfQ    // ½ q Δ(w²) of the last step, with q at its start
	FrameR        // residual variances, doubles
	FrameControl
	FramePartial // sums of each block
	FrameHistory // a Record for each step
	FrameRates   // two doubles for each step: η/(1-β₁ᵗ) and 1/√(1-β₂ᵗ)
	FrameSize
)

// These are the offsets in the control block of a problem: words first, then doubles.
const (
	ControlNext    = 0  // word: the step within the command
	ControlFlag    = 8  // word: 1 + the step with unusable values
	ControlTicket  = 12 // word: number of finished blocks
	ControlRest    = 32 // weight of the score, then a and b of a + b·h
	ControlNow     = 56 // weights of the current step
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
	ControlGuard   = 152 // weight of the guard
	ControlScale   = 160 // scale of B
	ControlShift   = 168 // s of log-det
	ControlH       = 176 // log-det: h at the start of the command, and its change in the steps
	ControlMoved   = 184 // likelihood: change of -log|det(I - W)| in the steps of the command
	ControlLargest = 192 // the last largest entry
	ControlSize    = 256
)

// RecordSize is the size of a record of the history: score, penalty and h as doubles, then the value compared
// with ControlLimit. The score of a likelihood has only the change of -log|det(I - W)| within the command.
const RecordSize = 32

// These are the flags of a problem, which select what the kernels compute.
const (
	Likelihood  = 1 << iota // Gaussian likelihood instead of least squares; its inverse is checked
	Equal                   // with one variance for all columns
	PenaltyL1               // λ Σ|w|
	PenaltyMCP              // minus λ/γ Σ clamp(w)
	Constrained             // there is an h
	TopTrace                // h includes a trace of B¹⁶
	LogDet                  // Q is the inverse of L, and h follows from its changes
	Guarded                 // there is a guard
	Masked                  // some entries stay zero
)

// sums is the number of sums of a block: score, penalty, Σ w²·sum, tr Q, tr B¹⁶, ‖residual‖² with the guard,
// change of -log|det(I - W)|, change of h.
const sums = 8

// Blocks is the number of blocks of the reduction for one problem; each has Threads threads.
const (
	Blocks  = 128
	Threads = 256
)

// PartialSize is the number of bytes that a block of the reduction writes.
const PartialSize = 8 * sums

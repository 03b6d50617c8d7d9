//go:build !noasm

#include "textflag.h"

// func pause()
// Tells the processor that a loop waits: it uses less of what it shares with its neighbour.
TEXT ·pause(SB), NOSPLIT, $0-0
	PAUSE
	RET

package command

import (
	"os"
	"syscall/js"
)

// repeatTime is 0 because a page sends one signal for each press of its button.
const repeatTime = 0

// notify defines the JavaScript function polydagInterrupt, which acts like Ctrl-C because a browser has no
// signals. The page can call it whenever the program waits for the page, as at each write.
func notify(signals chan<- os.Signal) (stop func()) {
	const name = "polydagInterrupt"
	call := js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case signals <- os.Interrupt:
		default: // two signals are already pending
		}
		return nil
	})
	js.Global().Set(name, call)
	return func() {
		js.Global().Delete(name)
		call.Release()
	}
}

package cuda

import "testing"

// deep is a driver whose calls take much of the stack before they do anything.
type deep struct{ *fake }

func (d deep) Call(function string, args ...uintptr) int {
	if took(1000) == 0 {
		return 999
	}
	return d.fake.Call(function, args...)
}

// took takes about 256 bytes of stack a level.
func took(levels int) byte {
	var room [256]byte
	if levels == 0 {
		return 1
	}
	room[levels%len(room)] = took(levels - 1)
	return room[levels%len(room)]
}

// TestStackMayMove calls the driver from new goroutines, whose small stacks move during the call: the output of
// the driver must arrive.
func TestStackMayMove(t *testing.T) {
	f := newFake()
	anew := func(body func()) {
		done := make(chan struct{})
		go func() { defer close(done); body() }()
		<-done
	}
	var card *card
	anew(func() {
		var err error
		if card, err = openCard(deep{f}, 0); err != nil || card.Info.Name != "Fake card" || card.Info.Memory != 1<<34 {
			t.Errorf("%+v, %v", card, err)
		}
	})
	anew(func() {
		if got, err := card.Free(); got != 1<<34 || err != nil {
			t.Errorf("%d bytes are free, %v", got, err)
		}
	})
	var at uintptr
	anew(func() {
		var err error
		if at, err = card.alloc(8); at == 0 || err != nil {
			t.Errorf("memory at %d, %v", at, err)
		}
	})
	for i := range f.memory[at] {
		f.memory[at][i] = byte(i + 1)
	}
	anew(func() {
		var b [8]byte
		if err := card.down(b[:], at); err != nil || b[7] != 8 {
			t.Errorf("%v came down, %v", b, err)
		}
	})
}

package emulator

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// BenchmarkProduct is one block of the kernel of products: 256 threads, a tile of 32 × 32.
func BenchmarkProduct(b *testing.B) {
	for _, file := range []string{"../../cuda/kernels32.ptx", "../../cuda/kernels64.ptx"} {
		b.Run(file[len(file)-6:len(file)-4], func(b *testing.B) {
			text, err := os.ReadFile(file)
			must.Succeed(b, err)
			kernels := must.Get(parse(string(text)))
			e := New()
			at := e.memory.allocate(1 << 17)
			p := e.memory.find(at, 1)
			clear(p.data)
			for i, off := range []uint64{0, 8, 16} {
				binary.LittleEndian.PutUint64(p.data[off:], at+1024+uint64(i)<<14)
			}
			l := launch{kernel: kernels["product_32x32x32_2x2"], grid: [3]uint32{1, 1, 1}, threads: 256, params: []uint64{at, 0, 1, 32, 32, 32}}
			for b.Loop() {
				must.Succeed(b, e.run(l))
			}
		})
	}
}

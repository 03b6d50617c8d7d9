package cuda

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// card is one open GPU. All calls must come from one operating system thread.
type card struct {
	calls
	Info   device.Info
	stream uintptr
	loaded map[string]map[string]uintptr // kernels by name, by the text of their module
}

// These are attributes of a GPU by driver number.
const (
	attributeProcessors = 16
	attributeClock      = 13 // kHz
	attributeMajor      = 75
	attributeMinor      = 76
	attributeMemory     = 36 // kHz
	attributeBus        = 37 // bits
)

func listCards(driver Driver) ([]device.Info, error) {
	c := calls{driver}
	if err := c.do("cuInit", 0); err != nil {
		return nil, err
	}
	out := new([4]uint64)
	p := func(i int) uintptr { return address(&out[i]) }
	if err := c.do("cuDriverGetVersion", p(0)); err != nil {
		return nil, err
	}
	version := int(int32(out[0]))
	if err := c.do("cuDeviceGetCount", p(1)); err != nil {
		return nil, err
	}
	cards := make([]device.Info, 0, 4)
	for i := range int(int32(out[1])) {
		out[2] = 0
		if err := c.do("cuDeviceGet", p(2), uintptr(i)); err != nil {
			return nil, err
		}
		handle := uintptr(int32(out[2]))
		name := make([]byte, 256)
		if err := c.do("cuDeviceGetName", address(&name[0]), uintptr(len(name)-1), handle); err != nil {
			return nil, err
		}
		if err := c.do("cuDeviceTotalMem_v2", p(3), handle); err != nil {
			return nil, err
		}
		info := device.Info{
			Index: i, Name: strings.TrimRight(string(name), "\x00"), Memory: int64(out[3]),
			Driver: fmt.Sprintf("%d.%d", version/1000, version%1000/10),
		}
		values := map[int]int{}
		for _, a := range []int{attributeProcessors, attributeClock, attributeMajor, attributeMinor, attributeMemory, attributeBus} {
			out[3] = 0
			if err := c.do("cuDeviceGetAttribute", p(3), uintptr(a), handle); err != nil {
				return nil, err
			}
			values[a] = int(int32(out[3]))
		}
		info.Processors, info.Clock = values[attributeProcessors], float64(values[attributeClock])*1e3
		info.Bandwidth = 2 * float64(values[attributeMemory]) * 1e3 * float64(values[attributeBus]) / 8
		info.Capability = fmt.Sprintf("%d.%d", values[attributeMajor], values[attributeMinor])
		if values[attributeMajor] < 7 {
			info.Unusable = "its compute capability is " + info.Capability + ", and 7.0 is the least"
		}
		cards = append(cards, info)
	}
	runtime.KeepAlive(out)
	return cards, nil
}

// openCard opens a GPU with its primary context.
func openCard(driver Driver, index int) (*card, error) {
	cards, err := listCards(driver)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(cards) {
		return nil, fmt.Errorf("there is no card %d: the driver knows %d", index, len(cards))
	}
	if why := cards[index].Unusable; why != "" {
		return nil, fmt.Errorf("card %d, %s, cannot be used: %s", index, cards[index].Name, why)
	}
	c := &card{calls: calls{driver}, Info: cards[index], loaded: map[string]map[string]uintptr{}}
	out := new([2]uint64)
	if err := c.do("cuDeviceGet", address(&out[0]), uintptr(index)); err != nil {
		return nil, err
	}
	if err := c.do("cuDevicePrimaryCtxRetain", address(&out[1]), uintptr(int32(out[0]))); err != nil {
		return nil, err
	}
	if err := c.do("cuCtxSetCurrent", uintptr(out[1])); err != nil {
		return nil, err
	}
	stream := new(uint64)
	const nonBlocking = 1
	if err := c.do("cuStreamCreate", address(stream), nonBlocking); err != nil {
		return nil, err
	}
	c.stream = uintptr(*stream)
	return c, nil
}

// kernels returns the kernels of one precision by name, and rowKernels those of scores of rows.
func (c *card) kernels(bits int) (map[string]uintptr, error) {
	names := []string{"reduce", "largest", "update", "step", "slope", "pair", "dots", "direct", "try"}
	for _, t := range ptx.Tiles(bits) {
		names = append(names, t.Name())
	}
	return c.load(map[int]string{32: kernels32, 64: kernels64}[bits], names)
}

func (c *card) rowKernels(bits int) (map[string]uintptr, error) {
	return c.load(map[int]string{32: rows32, 64: rows64}[bits], ptx.RowNames(bits))
}

// load compiles PTX text, once, and returns its kernels by name. The driver caches the compiled code between runs.
func (c *card) load(text string, names []string) (map[string]uintptr, error) {
	if k := c.loaded[text]; k != nil {
		return k, nil
	}
	image := append([]byte(text), 0)
	out := new(uint64)
	if err := c.do("cuModuleLoadData", address(out), address(&image[0])); err != nil {
		return nil, err
	}
	runtime.KeepAlive(image)
	module := uintptr(*out)
	found := map[string]uintptr{}
	for _, name := range names {
		z := append([]byte(name), 0)
		if err := c.do("cuModuleGetFunction", address(out), module, address(&z[0])); err != nil {
			return nil, err
		}
		runtime.KeepAlive(z)
		found[name] = uintptr(*out)
	}
	c.loaded[text] = found
	return found, nil
}

// Free returns the free memory of the GPU.
func (c *card) Free() (int64, error) {
	out := new([2]uint64)
	err := c.do("cuMemGetInfo_v2", address(&out[0]), address(&out[1]))
	return int64(out[0]), err
}

// reserve is alloc after a check of the free memory. who, with a verb, is the user of the memory for the error.
func (c *card) reserve(bytes int, who string) (uintptr, error) {
	if free, err := c.Free(); err == nil && int64(bytes) > free {
		return 0, fmt.Errorf("%s %d MiB of the card's memory, and %d MiB are free: %w", who, bytes>>20, free>>20, errMemory)
	}
	return c.alloc(bytes)
}

func (c *card) alloc(bytes int) (uintptr, error) {
	out := new(uint64)
	if err := c.do("cuMemAlloc_v2", address(out), uintptr(bytes)); err != nil {
		return 0, err
	}
	return uintptr(*out), nil
}

func (c *card) free(at uintptr) error { return c.do("cuMemFree_v2", at) }

func (c *card) clear(at uintptr, bytes int) error {
	return c.do("cuMemsetD8Async", at, 0, uintptr(bytes), c.stream)
}

// upLater and downLater copy asynchronously.
func (c *card) upLater(from []byte, to uintptr) error {
	return c.do("cuMemcpyHtoDAsync_v2", to, address(&from[0]), uintptr(len(from)), c.stream)
}

func (c *card) downLater(to []byte, from uintptr) error {
	return c.do("cuMemcpyDtoHAsync_v2", address(&to[0]), from, uintptr(len(to)), c.stream)
}

// up and down copy between host and device memory and wait.
func (c *card) up(to uintptr, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	if err := c.upLater(from, to); err != nil {
		return err
	}
	err := c.wait()
	runtime.KeepAlive(from)
	return err
}

func (c *card) down(to []byte, from uintptr) error {
	if err := c.downLater(to, from); err != nil {
		return err
	}
	err := c.wait()
	runtime.KeepAlive(to)
	return err
}

func (c *card) copy(to, from uintptr, bytes int) error {
	return c.do("cuMemcpyDtoDAsync_v2", to, from, uintptr(bytes), c.stream)
}

func (c *card) wait() error { return c.do("cuStreamSynchronize", c.stream) }

// launch launches a kernel; each argument takes eight bytes.
func (c *card) launch(f uintptr, x, y, z, threads int, args ...uint64) error {
	values := append([]uint64(nil), args...)
	pointers := make([]uintptr, len(values))
	for i := range values {
		pointers[i] = address(&values[i])
	}
	err := c.do("cuLaunchKernel", f, uintptr(x), uintptr(y), uintptr(z), uintptr(threads), 1, 1, 0, c.stream,
		address(&pointers[0]), 0)
	runtime.KeepAlive(values)
	runtime.KeepAlive(pointers)
	return err
}

// capture records the launches of body as a graph that one call can replay.
func (c *card) capture(body func() error) (uintptr, error) {
	const threadLocal = 1
	if err := c.do("cuStreamBeginCapture_v2", c.stream, threadLocal); err != nil {
		return 0, err
	}
	graph, exec := new(uint64), new(uint64)
	failed := body()
	if err := c.do("cuStreamEndCapture", c.stream, address(graph)); err != nil || failed != nil {
		return 0, cmp.Or(failed, err)
	}
	if err := c.do("cuGraphInstantiateWithFlags", address(exec), uintptr(*graph), 0); err != nil {
		return 0, err
	}
	return uintptr(*exec), c.do("cuGraphDestroy", uintptr(*graph))
}

func (c *card) replay(graph uintptr) error { return c.do("cuGraphLaunch", graph, c.stream) }

//go:build unix

package jetstream

import (
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// BenchmarkOverhead runs 500 units on two local workers through a server and on the pool of this process with two threads, in turns,
// and reports the ratios of the times and of the processor's, which others on the machine do not change. A unit computes for about 50 ms of
// one thread on the machine that it was set on.
//
//	go test ./cluster/jetstream -run '^$' -bench Overhead -benchtime 1x
func BenchmarkOverhead(b *testing.B) {
	h := inside(b, hub.Settings{Listen: "127.0.0.1:0"})
	connect := func() *Client {
		c := must.Get(Connect(b.Context(), Connection{URL: h.URL()}))
		b.Cleanup(c.Close)
		return c
	}
	for range 2 {
		working(b, connect(), Worker{Jobs: 1})
	}
	submitter := connect()
	var here, there, cpuHere, cpuThere time.Duration
	for round := range b.N {
		list := numbers(500, toy{Spin: 40_000_000})
		for i := range list {
			list[i].Number += 1000 * round // new units every time
		}
		job := toyJob(b, list...)
		begun, used := time.Now(), cpu(b)
		want := must.Get(merged(b.Context(), work.Pool{Workers: 2, Handlers: toys(nil)}, job))
		here, cpuHere = here+time.Since(begun), cpuHere+cpu(b)-used
		begun, used = time.Now(), cpu(b)
		got, err := merged(b.Context(), &Submitter{submitter, nil}, job)
		if err != nil || got != want {
			b.Fatalf("%v; %d bytes, want %d", err, len(got), len(want))
		}
		there, cpuThere = there+time.Since(begun), cpuThere+cpu(b)-used
	}
	b.ReportMetric(cpuHere.Seconds()*1000/500/float64(b.N), "cpu-ms/unit")
	b.ReportMetric(there.Seconds()/here.Seconds(), "ratio")
	b.ReportMetric(cpuThere.Seconds()/cpuHere.Seconds(), "cpu-ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSmallUnits measures the overhead of an empty unit: submitter, server, worker and collection in this
// process.
//
//	go test ./cluster/jetstream -run '^$' -bench SmallUnits -benchtime 5000x
func BenchmarkSmallUnits(b *testing.B) {
	h := inside(b, hub.Settings{Listen: "127.0.0.1:0"})
	c := must.Get(Connect(b.Context(), Connection{URL: h.URL()}))
	b.Cleanup(c.Close)
	working(b, c, Worker{Jobs: 4})
	job := toyJob(b, numbers(b.N, toy{})...)
	before := cpu(b)
	b.ResetTimer()
	must.Get(merged(b.Context(), &Submitter{c, nil}, job))
	b.ReportMetric((cpu(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/unit")
}

// cpu is the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.Succeed(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

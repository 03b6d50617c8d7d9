// Command openblasbench compares gemm with OpenBLAS and gonum on one thread.
//
//	go run . -d 100,200,500,1000 -rounds 15
//
// OpenBLAS is loaded at run time, from -lib or the usual names; where it is absent its
// column is empty. The contenders take turns within a round and the table gives medians, so
// that a change of the machine's clock or load meets all of them; on Linux CPU time is
// taken, so that other work on the machine counts little. It is a module of its own
// so that the loader is no dependency of polydag.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/polydag/polydag/internal/gemm"
)

func main() {
	sizes := flag.String("d", "100,128,200,500,1000", "matrix sizes")
	rounds := flag.Int("rounds", 15, "rounds per size; the table shows medians")
	slot := flag.Duration("slot", 4*time.Millisecond, "least time of one measurement")
	lib := flag.String("lib", "", "path of libopenblas; empty tries the usual names")
	trans := flag.String("op", "nn", "nn, tn (Aᵀ·B), nt (A·Bᵀ) or tt")
	withGonum := flag.Bool("gonum", true, "measure gonum too")
	only := flag.String("kernels", "", "kernels to measure, such as avx512,avx2; empty means all")
	flag.Parse()
	if !slices.Contains([]string{"nn", "tn", "nt", "tt"}, *trans) {
		log.Fatalf("openblasbench: -op %s, want nn, tn, nt or tt", *trans)
	}
	var ds []int
	for _, s := range strings.Split(*sizes, ",") {
		d, err := strconv.Atoi(s)
		if err != nil || d < 1 {
			log.Fatalf("openblasbench: -d has %q, want sizes such as 100,200", s)
		}
		ds = append(ds, d)
	}
	blasLib, err := openOpenBLAS(*lib)
	if err != nil {
		fmt.Println("OpenBLAS:", err)
	} else {
		fmt.Println("OpenBLAS:", blasLib.config())
	}
	var kernels []gemm.Kernel
	for _, k := range gemm.Kernels() {
		if *only == "" || slices.Contains(strings.Split(*only, ","), k.String()) {
			kernels = append(kernels, k)
		}
	}
	if len(kernels) == 0 {
		log.Fatalf("openblasbench: -kernels %s, want some of %v", *only, gemm.Kernels())
	}
	b := bench{kernels: kernels, rounds: *rounds, slot: *slot, transA: (*trans)[0] == 't', transB: (*trans)[1] == 't',
		lib: blasLib, gonum: *withGonum, out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Println("GFLOP/s, medians, one thread")
	fmt.Fprint(b.out, "d\tprec\t")
	for _, k := range kernels {
		fmt.Fprintf(b.out, "%v\t", k)
	}
	fmt.Fprint(b.out, "openblas\tgonum\tvs openblas\tvs gonum\t\n")
	for _, d := range ds {
		measure[float64](b, d)
		measure[float32](b, d)
	}
	b.out.Flush()
}

type bench struct {
	kernels        []gemm.Kernel // the first is compared with the others
	rounds         int
	slot           time.Duration
	transA, transB bool
	lib            *openBLAS
	gonum          bool
	out            *tabwriter.Writer
}

// measure adds the two rows of size d to the table.
func measure[T gemm.Float](bn bench, d int) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	a, b, c := make([]T, d*d), make([]T, d*d), make([]T, d*d)
	for i := range a {
		a[i], b[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
	}
	var runs []func()
	for _, k := range bn.kernels {
		runs = append(runs, func() { gemm.GemmWith(k, bn.transA, bn.transB, d, d, d, 1, a, d, b, d, 0, c, d, 1) })
	}
	iBLAS, iGonum := -1, -1
	if bn.lib != nil {
		iBLAS = len(runs)
		runs = append(runs, product(bn.lib, bn.transA, bn.transB, d, a, b, c))
	}
	if bn.gonum {
		iGonum = len(runs)
		runs = append(runs, func() { gemmGonum(bn.transA, bn.transB, d, a, b, c) })
	}
	times := make([][]float64, len(runs))
	for range bn.rounds {
		for i, run := range runs {
			times[i] = append(times[i], timeOf(run, bn.slot))
		}
	}
	prec := "f64"
	if _, ok := any(a).([]float32); ok {
		prec = "f32"
	}
	fmt.Fprintf(bn.out, "%d\t%s\t", d, prec)
	flops := 2 * float64(d) * float64(d) * float64(d)
	for i := range bn.kernels {
		fmt.Fprintf(bn.out, "%.1f\t", flops/median(times[i])/1e9)
	}
	for _, i := range []int{iBLAS, iGonum} {
		if i < 0 {
			fmt.Fprint(bn.out, "\t")
			continue
		}
		fmt.Fprintf(bn.out, "%.1f\t", flops/median(times[i])/1e9)
	}
	for _, i := range []int{iBLAS, iGonum} {
		if i < 0 {
			fmt.Fprint(bn.out, "\t")
			continue
		}
		ratios := make([]float64, bn.rounds)
		for r := range ratios {
			ratios[r] = times[i][r] / times[0][r]
		}
		fmt.Fprintf(bn.out, "%.2f\t", median(ratios))
	}
	fmt.Fprintln(bn.out)
}

// timeOf returns the seconds of one run, from as many runs as fill the slot.
func timeOf(run func(), slot time.Duration) float64 {
	run()
	for n := 1; ; n *= 2 {
		start := cpuTime()
		for range n {
			run()
		}
		if t := cpuTime() - start; t >= slot {
			return t.Seconds() / float64(n)
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

func gemmGonum[T gemm.Float](transA, transB bool, d int, a, b, c []T) {
	op := map[bool]blas.Transpose{false: blas.NoTrans, true: blas.Trans}
	switch a := any(a).(type) {
	case []float64:
		gonum.Implementation{}.Dgemm(op[transA], op[transB], d, d, d, 1, a, d, any(b).([]float64), d, 0, any(c).([]float64), d)
	case []float32:
		gonum.Implementation{}.Sgemm(op[transA], op[transB], d, d, d, 1, a, d, any(b).([]float32), d, 0, any(c).([]float32), d)
	}
}

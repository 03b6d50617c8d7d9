package cuda

import (
	"errors"
	"fmt"
	"time"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// repetitions is the number of repetitions of a timed launch.
const repetitions = 200

// profile measures each launch of a step separately, and the launch that replaces the last two if the weight of
// h does not depend on h. Work counts 2d³ operations per product, and every matrix that a launch reads or
// writes once.
func (s *session) profile() ([]device.Share, error) {
	var out []device.Share
	if err := s.setControl(0, nil, nil, false); err != nil {
		return nil, err
	}
	measure := func(name string, products, matrices int, launch func() error) error {
		if err := errors.Join(launch(), s.card.wait()); err != nil {
			return err
		}
		graph, err := s.card.capture(func() error {
			for range repetitions {
				if err := launch(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		began := time.Now()
		if err := errors.Join(s.card.replay(graph), s.card.wait()); err != nil {
			return err
		}
		seconds := time.Since(began).Seconds() / repetitions
		out = append(out, device.Share{
			Name: name, Seconds: seconds, Products: products * s.Batch,
			Flops: 2 * float64(products*s.Batch) * cube(s.D), Bytes: float64(matrices*s.Batch) * float64(s.D) * float64(s.D) * float64(s.Bits/8),
		})
		return s.card.do("cuGraphExecDestroy", graph)
	}
	for i, launch := range s.launches {
		matrices, products := 0, 0
		for _, j := range launch {
			matrices += len(j.reads()) + len(j.writes())
			if j.kind != ptx.KindColumns {
				products++
			}
		}
		if err := measure(fmt.Sprintf("products %d", i+1), products, matrices, func() error { return s.launchProducts(i) }); err != nil {
			return nil, err
		}
	}
	if err := measure("values", 0, 6, s.launchReduce); err != nil {
		return nil, err
	}
	if err := measure("Adam", 0, 10, func() error { return s.launchUpdate("update", 0) }); err != nil {
		return nil, err
	}
	return out, measure("both in one", 0, 12, func() error { return s.launchUpdate("step", 1) })
}

func cube(d int) float64 { return float64(d) * float64(d) * float64(d) }

package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/score"
)

// TestThreadsAndContexts checks that the answer has the same bytes on any number of threads, and that there is
// none after the context has ended.
func TestThreadsAndContexts(t *testing.T) {
	k := levelsTrial(t, 5, 300, 0)
	cfg := polydag.DefaultConfig()
	cfg.Method = k.method
	res, err := k.table.Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(threads int) string {
		told := 0
		a := ask(t, res, k.table, k.of, k.on, func(q *Question) {
			q.GivenGraph, q.Replicates, q.Threads, q.Do = false, 12, threads, []string{"l1"}
			q.Observe = func(done, of int) {
				if told++; done != told || of != 12 {
					t.Errorf("told %d of %d after %d", done, of, told)
				}
			}
		})
		if told != 12 || a.Interval.Method != OverGraphs {
			t.Errorf("%d replicates were told of, %+v", told, a.Interval)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if one, three := answer(1), answer(3); one != three {
		t.Errorf("on one thread\n%s\non three\n%s", one, three)
	}
	ctx, cancel := context.WithCancel(context.Background())
	q := NewQuestion(k.of, k.on)
	q.Observe = func(int, int) { cancel() }
	if a, err := Ask(ctx, res, k.table, q); a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", a, err)
	}
}

// TestLearnsAgainAsRecorded checks that a replicate is learned with the recorded settings: the same table gives
// the same graph, and knowledge is kept.
func TestLearnsAgainAsRecorded(t *testing.T) {
	k := linearTrial(t, 4, false, 300, 0)
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Seed = k.method, 7
	cfg.Knowledge.Forbid = append(cfg.Knowledge.Forbid, k.truth.Edges()[0].Named(k.table.Moments.Names).From+"->"+k.truth.Edges()[0].Named(k.table.Moments.Names).To)
	res, err := k.table.Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	read, err := polydag.ReadResult(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	learn, err := confidence.Relearner(read)
	if err != nil {
		t.Fatal(err)
	}
	again, err := learn(context.Background(), k.table)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Graph.Equal(res.Graph) || res.Model != score.LinearEffects {
		t.Errorf("%v, then %v", res.Graph.Edges(), again.Graph.Edges())
	}
}

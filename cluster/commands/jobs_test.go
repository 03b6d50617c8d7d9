package commands

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/internal/must"
)

// TestJobsShowControls checks the list of jobs, whose texts come from other machines.
func TestJobsShowControls(t *testing.T) {
	bad := "b\x1b[31m\tad\u202e\nline"
	var out bytes.Buffer
	must.Succeed(t, writeJobs(&out, &jetstream.Listing{
		Jobs:    []jetstream.Status{{Record: jetstream.Record{ID: "1", Title: bad}, Trouble: []jetstream.Trouble{{Unit: "u", Job: "1", Aside: bad, Errors: []jetstream.Mistake{{Worker: bad, Text: bad}}}}}},
		Workers: []jetstream.Presence{{Name: bad, Refuses: []jetstream.Refusal{{Job: bad, Why: bad}}}},
	}))
	if text := out.String(); strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, `b\u001b[31m\u0009ad\u202e`) != 8 {
		t.Errorf("%q", text)
	}
}

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

// TestPassingErrors checks that temporary errors are distinguished from permanent ones, for both error types of
// the library.
func TestPassingErrors(t *testing.T) {
	for _, c := range []struct {
		err           error
		passes, there bool
	}{
		{nil, false, false},
		{errors.New("something else"), false, false},
		{context.Canceled, false, false},
		{context.DeadlineExceeded, true, false},
		{fmt.Errorf("asking: %w", nats.ErrTimeout), true, false},
		{nats.ErrNoResponders, true, false},
		{nats.ErrAuthorization, false, false},
		{&js.APIError{Code: 503, ErrorCode: codeNotAvailable, Description: "JetStream system temporarily unavailable"}, true, false},
		{&nats.APIError{Code: 503, ErrorCode: nats.ErrorCode(codeNotAvailable), Description: "JetStream system temporarily unavailable"}, true, false},
		{fmt.Errorf("listing: %w", &nats.APIError{Code: 500, ErrorCode: 10049, Description: "consumer config required"}), true, false},
		{&nats.APIError{Code: 404, ErrorCode: 10059, Description: "stream not found"}, false, false},
		{&js.APIError{Code: 400, ErrorCode: js.JSErrCodeStreamWrongLastSequence, Description: "wrong last sequence: 3"}, false, true},
		{&js.APIError{Code: 400, ErrorCode: js.JSErrCodeStreamWrongLastSequenceConstant, Description: "wrong last sequence"}, false, true},
		{&js.APIError{Code: 503, ErrorCode: codeStoreFailed, Description: "maximum messages per subject exceeded"}, true, true},
		{&js.APIError{Code: 503, ErrorCode: codeStoreFailed, Description: "maximum bytes exceeded"}, true, false},
		{js.ErrKeyNotFound, false, false},
	} {
		if passing(c.err) != c.passes || there(c.err) != c.there {
			t.Errorf("%v: passing %v, there %v", c.err, passing(c.err), there(c.err))
		}
	}
}

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// attempt does the unit of a message. It has already handled the error that it returns.
func (s *station) attempt(ctx context.Context, job *openJob, name string, msg js.Msg) error {
	u, err := work.DecodeUnit(msg.Data())
	if err == nil && (u.ID != name || !slices.Contains(job.Kinds, u.Kind)) {
		err = fmt.Errorf("%w: it is called %.40q and is %s of kind %s", work.ErrUnit, name, u.ID, u.Kind)
	}
	if err != nil {
		return s.setAside(ctx, job, name, msg, fmt.Errorf("refused: %w", err))
	}
	given := uint64(1)
	if meta, err := msg.Metadata(); err == nil {
		given = meta.NumDelivered
	}
	if given > 1 {
		if done, err := s.settled(ctx, job, name, msg, given); done || err != nil {
			return err
		}
	}
	back := make(chan struct{})
	stay := context.AfterFunc(ctx, func() { // at once, because the handler may be slow to end
		defer close(back)
		s.giveBack(context.WithoutCancel(ctx), job, name, msg)
	})
	own, end := s.bound(ctx, job)
	outcome, err := s.do(own, &u)
	cause := context.Cause(own)
	end()
	if !stay() {
		<-back
		return context.Cause(ctx)
	}
	switch {
	case errors.Is(cause, errDeleted): // its queue is gone, and nobody waits for the outcome
		return cause
	case err != nil && cause != nil:
		err = cause
	}
	if err == nil && s.MaxBytes > 0 && int64(len(outcome)) > s.MaxBytes {
		err = fmt.Errorf("its outcome has %d bytes and at most %d are taken here", len(outcome), s.MaxBytes)
	}
	if err != nil {
		return s.failure(ctx, job, name, msg, err)
	}
	if _, err := s.putOutcome(ctx, job.ID, name, s.Name, outcome); err != nil {
		if ctx.Err() != nil {
			s.giveBack(context.WithoutCancel(ctx), job, name, msg)
			return context.Cause(ctx)
		}
		return s.failure(ctx, job, name, msg, err)
	}
	return s.acknowledge(ctx, msg)
}

// do calls the handler. A panic becomes an error of the unit, so that other units are not affected.
func (s *station) do(ctx context.Context, u *work.Unit) (outcome []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Handlers.Do(ctx, u, s.inputs, s.share())
}

// settled checks a unit that was delivered before: it may have an outcome, or have ended every worker so far.
func (s *station) settled(ctx context.Context, job *openJob, name string, msg js.Msg, given uint64) (bool, error) {
	var has bool
	err := s.retry(ctx, "looking for an outcome", func(ctx context.Context) (err error) {
		has, err = s.hasOutcome(ctx, job.ID, name)
		return err
	})
	if err != nil {
		return true, err
	}
	if has {
		return true, s.acknowledge(ctx, msg)
	}
	if given <= mostLost {
		return false, nil
	}
	t, err := s.readTrouble(ctx, job.ID, name)
	if err != nil {
		return true, err
	}
	lost := int(given) - 1 - t.Returned - len(t.Errors)
	if lost < mostLost {
		return false, nil
	}
	return true, s.setAside(ctx, job, name, msg, fmt.Errorf("it was given out %d times and neither outcome nor error came back: it may end the workers that do it", lost))
}

// failure records an error of a unit, and returns it to the queue or sets it aside.
func (s *station) failure(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	if errors.Is(why, work.ErrLimit) {
		return s.decline(ctx, job, name, msg, why)
	}
	t, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) {
		t.Errors = append(t.Errors, Mistake{s.Name, short(why.Error(), 2000)})
	})
	if err != nil {
		return errors.Join(why, err)
	}
	if len(t.Errors) >= mostErrors {
		return s.setAside(ctx, job, name, msg, why)
	}
	_ = msg.NakWithDelay(s.timing.Retry) // otherwise the server waits for the heartbeats to end
	return why
}

// decline returns a unit that exceeds the limits of this worker. It never sets the unit aside, because other
// workers may be able to do it. The submitter reports which workers declined the unit.
func (s *station) decline(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	_, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) {
		t.Returned++
		if !t.declinedBy(s.Name) && len(t.Declined) < mostRefusals {
			t.Declined = append(t.Declined, Mistake{s.Name, short(why.Error(), 2000)})
		}
	})
	_ = msg.NakWithDelay(s.timing.Retry) // meanwhile this worker takes other units
	return errors.Join(why, err)
}

// declinedBy reports whether a worker declined the unit.
func (t *Trouble) declinedBy(worker string) bool {
	return slices.ContainsFunc(t.Declined, func(m Mistake) bool { return m.Worker == worker })
}

// setAside ends the attempts at a unit: it is recorded as trouble and removed from the queue.
func (s *station) setAside(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	text := fmt.Sprintf("worker %s: %s", s.Name, short(why.Error(), 2000))
	if _, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Aside = text }); err != nil {
		return errors.Join(why, err)
	}
	return errors.Join(why, s.acknowledge(ctx, msg))
}

// giveBack returns a unit to the queue when this worker ends. That is not a failure of the unit.
func (s *station) giveBack(ctx context.Context, job *openJob, name string, msg js.Msg) {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	_, _ = s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Returned++ }) // without a record it counts as lost
	_ = msg.Nak()
	_ = s.nc.FlushWithContext(ctx)
}

// parting is the time that an ending worker waits for the server.
const parting = 200 * time.Millisecond

// acknowledge removes a unit from the queue. If the server does not confirm, the unit is delivered again and
// found to be done.
func (s *station) acknowledge(ctx context.Context, msg js.Msg) error {
	bounded, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	if err := msg.DoubleAck(bounded); err != nil && !passing(err) && ctx.Err() == nil && !errors.Is(err, js.ErrMsgAlreadyAckd) {
		return fmt.Errorf("acknowledging: %w", err)
	}
	return nil
}

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/internal/work"
)

// attempt does the unit of a message. An error has been dealt with when it returns.
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
	stay := context.AfterFunc(ctx, func() { // at once: the handler may be slow to end
		defer close(back)
		s.giveBack(context.WithoutCancel(ctx), job, name, msg)
	})
	outcome, err := s.do(ctx, &u)
	if !stay() {
		<-back
		return context.Cause(ctx)
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

// do calls the handler. A panic of it is an error of the unit: the other units of this worker are not to blame.
func (s *station) do(ctx context.Context, u *work.Unit) (outcome []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Handlers.Do(ctx, u, s.inputs, s.share())
}

// settled looks at a unit that was given out before: it may have an outcome, or be one that no worker survives.
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

// failure notes an error of a unit, and gives it back or sets it aside.
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
	_ = msg.NakWithDelay(s.timing.Retry) // without it the server waits for the heartbeats to end
	return why
}

// decline leaves a unit that is beyond the limits of this worker to the others, and sets it aside when all who are there have declined it.
func (s *station) decline(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	t, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) {
		if t.declinedBy(s.Name) {
			t.Returned++
			return
		}
		t.Errors = append(t.Errors, Mistake{s.Name, short(why.Error(), 2000)})
	})
	if err != nil {
		return errors.Join(why, err)
	}
	bounded, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	list, err := s.listWorkers(bounded)
	others := func(w Presence) bool {
		_, refuses := w.refusal(job.Record)
		return w.Door == s.door && !refuses && w.Name != s.Name && !t.declinedBy(w.Name)
	}
	if err == nil && !slices.ContainsFunc(list, others) {
		return s.setAside(ctx, job, name, msg, why)
	}
	_ = msg.NakWithDelay(s.timing.Retry) // without it the server waits for the heartbeats to end
	return why
}

// declinedBy reports whether a worker has named its reason.
func (t *Trouble) declinedBy(worker string) bool {
	return slices.ContainsFunc(t.Errors, func(m Mistake) bool { return m.Worker == worker })
}

// setAside ends the attempts at a unit: it is named in the list of trouble and leaves the queue.
func (s *station) setAside(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	text := fmt.Sprintf("worker %s: %s", s.Name, short(why.Error(), 2000))
	if _, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Aside = text }); err != nil {
		return errors.Join(why, err)
	}
	return errors.Join(why, s.acknowledge(ctx, msg))
}

// giveBack hands a unit to whoever asks next, when this worker ends. That is no failure of the unit.
func (s *station) giveBack(ctx context.Context, job *openJob, name string, msg js.Msg) {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	_, _ = s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Returned++ }) // what is not noted counts as lost
	_ = msg.Nak()
	_ = s.nc.FlushWithContext(ctx)
}

// parting is how long a worker that ends waits for the server.
const parting = 200 * time.Millisecond

// acknowledge takes a unit out of the queue. If the server does not confirm, the unit is given out again and found to be done.
func (s *station) acknowledge(ctx context.Context, msg js.Msg) error {
	bounded, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	if err := msg.DoubleAck(bounded); err != nil && !passing(err) && ctx.Err() == nil && !errors.Is(err, js.ErrMsgAlreadyAckd) {
		return fmt.Errorf("acknowledging: %w", err)
	}
	return nil
}

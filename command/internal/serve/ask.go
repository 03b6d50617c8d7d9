package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// drivers ranks the columns of a table by their effect on one, under a result of the folder.
func (s *Server) drivers(w http.ResponseWriter, r *http.Request) {
	res, ok := s.read(w, r)
	if !ok {
		return
	}
	s.ask(w, r, func(ctx context.Context, job Job) (json.RawMessage, error) {
		return s.opt.Backend.Drivers(ctx, job, res)
	}, "of", "by", "intervals")
}

// effects computes what the page of a result shows of the effects of interventions.
func (s *Server) effects(w http.ResponseWriter, r *http.Request) {
	res, ok := s.read(w, r)
	if !ok {
		return
	}
	s.ask(w, r, func(ctx context.Context, job Job) (json.RawMessage, error) {
		return s.opt.Backend.Effects(ctx, job, res)
	})
}

// test tests a visitor's graph against a table.
func (s *Server) test(w http.ResponseWriter, r *http.Request) {
	s.ask(w, r, s.opt.Backend.Test, "graph")
}

// ask answers a question about a table that was checked before. own are the keys of the request that belong to the question.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, answer func(context.Context, Job) (json.RawMessage, error), own ...string) {
	if s.checking.Add(1) > maxChecks {
		s.checking.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "too many questions at the same time; try again")
		return
	}
	defer s.checking.Add(-1)
	job, ok := s.receive(w, r, own...)
	if !ok {
		return
	}
	defer s.tables.release(job.table)
	ctx, release := s.share(r.Context())
	defer release()
	text, err := answer(ctx, job)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "%v", causeOf(ctx, err))
		return
	}
	send(w, "application/json", text)
}

// example sends a table to try.
func (s *Server) example(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".csv")
	table := s.opt.Backend.Example(name)
	if !ok || table == nil {
		refuse(w, http.StatusNotFound, "no example %q", r.PathValue("file"))
		return
	}
	send(w, "text/csv; charset=utf-8", table)
}

package stage

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// phaseStore marks each state with a key and a phase.
type phaseStore struct {
	store Store
	mark  []byte // the last byte is the phase
	later bool   // the saved state belongs to a later phase
}

// phaseName begins the states of a phase.
const phaseName = "phase"

// Phase returns a store for one of several runs that share a store and follow each other. The key stands for all of them. A run before
// the phase of the saved state starts from the beginning and leaves that state alone.
func Phase(s Store, key Key, phase byte) Store {
	sum := sha256.Sum256(append(key.Data[:], key.Settings...))
	return &phaseStore{store: s, mark: slices.Concat([]byte(phaseName), sum[:], []byte{phase})}
}

// Save implements Store.
func (s *phaseStore) Save(state []byte) error {
	if s.later {
		return nil
	}
	return s.store.Save(append(slices.Clone(s.mark), state...))
}

// Load implements Store. It returns the state of another table as it is, which the run then refuses.
func (s *phaseStore) Load() ([]byte, error) {
	state, err := s.store.Load()
	if err != nil || len(state) < len(s.mark) || !bytes.HasPrefix(state, []byte(phaseName)) {
		return state, err
	}
	of, state := state[:len(s.mark)], state[len(s.mark):]
	own, phase := len(s.mark)-1, of[len(of)-1]
	if !bytes.Equal(of[:own], s.mark[:own]) || phase == s.mark[own] {
		return state, nil
	}
	s.later = phase > s.mark[own]
	return nil, nil
}

// unmarked returns a state without the mark of a phase, so that a run without phases can name the difference to the run that saved it.
func unmarked(state []byte) []byte {
	if mark := len(phaseName) + sha256.Size + 1; len(state) >= mark && bytes.HasPrefix(state, []byte(phaseName)) {
		return state[mark:]
	}
	return state
}

// Package ask asks a language model which of two columns of a table is a cause of the other, by their names and descriptions alone. The
// server has the chat API of OpenAI, as those of Ollama, llama.cpp and vLLM do.
package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
)

// The kinds of faults.
var (
	ErrAddress = fault.Kind("ask-address", "the address of the language model cannot be used; give the base of its API, such as http://localhost:11434/v1")
	// ErrServer ends a run: every further question would fail too.
	ErrServer = fault.Kind("ask-server", "the server of the language model cannot be used; check its address, the name of the model and the key")
	// ErrBusy is the fault of one question that the server did not answer in time, or was too busy to answer.
	ErrBusy = fault.Kind("ask-busy", "the server of the language model gave no answer; try again later")
	// ErrReply is the fault of one question with a reply that is not one of the answers.
	ErrReply = fault.Kind("ask-reply", "the reply of the language model is not one of the answers; the edge stays undirected")
)

// Limits on what a server may do.
const (
	mostBytes   = 1 << 20 // of a response
	mostTries   = 4       // per request, of which all but the last end with the status 429 or 5xx
	firstWait   = time.Second
	longestWait = 30 * time.Second
	mostExcerpt = 160 // characters of a reply that an error shows
)

// A Server is one model behind one address.
type Server struct {
	base     *url.URL
	endpoint string
	model    string
	key      string
	timeout  time.Duration // of one request
	client   *http.Client
	wait     func(ctx context.Context, d time.Duration) error // tests replace it
}

// NewServer returns the server at an address, the base of its API or the address of a host. key may be empty.
func NewServer(address, model, key string, timeout time.Duration) (*Server, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fault.New(ErrAddress, "the address of the server is not one of http or https", "give the base of the API, such as http://localhost:11434/v1")
	case u.User != nil:
		return nil, fault.New(ErrAddress, "the address of the server has a user or a password, which would be written to the knowledge file", "put the key into the environment")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fault.New(ErrAddress, "the address of the server has a query", "give the base of the API without it")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	if u.Path == "" {
		u.Path = "/v1"
	}
	s := &Server{base: u, endpoint: u.JoinPath("chat/completions").String(), model: model, key: strings.TrimSpace(key), timeout: timeout, wait: pause}
	// A redirect is refused, so that neither the names nor the key go to another address than the one given.
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s, nil
}

// Endpoint returns the address that requests go to.
func (s *Server) Endpoint() string { return s.endpoint }

// Name returns the model and the server, as the knowledge file names them.
func (s *Server) Name() string { return s.model + " at " + s.base.String() }

// Exposed reports that the key would be sent without encryption to another machine.
func (s *Server) Exposed() bool {
	host := s.base.Hostname()
	ip := net.ParseIP(host)
	return s.key != "" && s.base.Scheme == "http" && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// send sends a request and returns the text of the model's reply. It tries again where the server is busy.
func (s *Server) send(ctx context.Context, body []byte) (string, error) {
	pace := firstWait
	for try := 1; ; try++ {
		text, after, err := s.once(ctx, body)
		if err == nil || after < 0 || try == mostTries {
			return text, err
		}
		if err := s.wait(ctx, min(max(pace, after), longestWait)); err != nil {
			return "", err
		}
		pace *= 2
	}
}

// once sends a request once. after is negative if another try is useless, and otherwise the time that the server wants to pass before it.
func (s *Server) once(ctx context.Context, body []byte) (text string, after time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, s.endpoint, bytes.NewReader(body))
	if err != nil {
		return "", -1, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	resp, err := s.client.Do(req)
	var data []byte
	if err == nil {
		defer resp.Body.Close()
		data, err = io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	}
	switch {
	case ctx.Err() != nil:
		return "", -1, context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", -1, fault.New(ErrBusy, fmt.Sprintf("no answer within %s", s.timeout), "allow more time with %s", fault.Use("ask-timeout"))
	case err != nil:
		return "", -1, fault.New(ErrServer, s.excerpt("the server cannot be reached: "+err.Error()), "check that it runs and that the address is right")
	case len(data) > mostBytes:
		return "", -1, fault.New(ErrReply, "the response is larger than "+memory.Size(mostBytes), "try another model with %s", fault.Use("ask-model"))
	}
	if resp.StatusCode == http.StatusOK {
		text, err = s.content(data)
		return text, -1, err
	}
	after, err = s.refused(resp, data)
	return "", after, err
}

// refused returns the fault of a response whose status is not OK, and the time to wait, negative if another try is useless.
func (s *Server) refused(resp *http.Response, data []byte) (after time.Duration, err error) {
	text := "the server answers " + resp.Status
	var v struct{ Error struct{ Message string } }
	if json.Unmarshal(data, &v) == nil && v.Error.Message != "" {
		text += ": " + s.excerpt(v.Error.Message)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests || code >= 500:
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			after = min(time.Duration(min(seconds, 3600))*time.Second, longestWait)
		}
		return after, fault.New(ErrBusy, text, "try again later")
	case code >= 300 && code < 400:
		return -1, fault.New(ErrServer, fmt.Sprintf("%s, a redirect to %s, and redirects are not followed", text, s.excerpt(resp.Header.Get("Location"))), "give the address of the server itself")
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return -1, fault.New(ErrServer, text, "check the key in the environment")
	}
	return -1, fault.New(ErrServer, text, "check the address and the name of the model, %s", fault.Use("ask-model"))
}

// content returns the text of the first choice of a response.
func (s *Server) content(data []byte) (string, error) {
	var v struct {
		Choices []struct {
			Message struct{ Content, Refusal *string }
		}
	}
	switch err := json.Unmarshal(data, &v); {
	case err != nil:
		return "", fault.New(ErrReply, "the response is not the JSON of a chat", "try another model with %s", fault.Use("ask-model"))
	case len(v.Choices) == 0:
		return "", fault.New(ErrReply, "the response has no choices", "try another model with %s", fault.Use("ask-model"))
	}
	m := v.Choices[0].Message
	switch {
	case m.Refusal != nil && *m.Refusal != "":
		return "", fault.New(ErrReply, "the model refuses: "+s.excerpt(*m.Refusal), "try another model with %s", fault.Use("ask-model"))
	case m.Content == nil:
		return "", fault.New(ErrReply, "the response has no text", "try another model with %s", fault.Use("ask-model"))
	}
	return *m.Content, nil
}

// excerpt returns the beginning of a text of the server without the key, which some servers repeat.
func (s *Server) excerpt(text string) string {
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "(the key)")
	}
	if r := []rune(text); len(r) > mostExcerpt {
		return string(r[:mostExcerpt]) + "…"
	}
	return text
}

package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// server is an API server that accepts one token.
type server struct{ accepts string }

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	code := http.StatusUnauthorized
	if r.Header.Get("Authorization") == "Bearer "+s.accepts {
		code = http.StatusOK
	}
	return &http.Response{StatusCode: code, Body: http.NoBody, Request: r}, nil
}

func prepared(t *testing.T, s *server) *Transport {
	t.Helper()
	cfg := &rest.Config{ExecProvider: &clientcmdapi.ExecConfig{Command: "/opt/login", InteractiveMode: clientcmdapi.NeverExecInteractiveMode}}
	tr, err := New(cfg, nil, nil, func(string, string) (http.RoundTripper, error) { return s, nil })
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// send sends a request that waits a second at most, and returns the status or the error.
func send(t *testing.T, tr *Transport) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hub", nil)
	if err != nil {
		return err.Error()
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(resp.StatusCode)
}

// TestPluginRunsSeldom checks that a plugin is run at most once in 30 s, whatever it
// returns and however often the API server rejects it, and that a new credential is used
// at once (docs/promises.md#i18).
func TestPluginRunsSeldom(t *testing.T) {
	for name, plugin := range map[string]func(run int) (Credential, error){
		"rejected":      func(run int) (Credential, error) { return Credential{Token: fmt.Sprint("token-", run)}, nil },
		"fails":         func(int) (Credential, error) { return Credential{}, errors.New("no network") },
		"expires early": func(int) (Credential, error) { return Credential{Token: "t", Until: time.Now().Add(time.Second)}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{accepts: "none"}
				tr := prepared(t, s)
				var began []time.Time
				tr.ask = func(context.Context) (Credential, error) {
					began = append(began, time.Now())
					time.Sleep(100 * time.Millisecond)
					return plugin(len(began))
				}
				for from := time.Now(); time.Since(from) < 70*time.Second; time.Sleep(100 * time.Millisecond) {
					for range 3 {
						go send(t, tr)
					}
					if got := send(t, tr); name == "fails" && !strings.Contains(got, "getting credentials: credential plugin login: no network") {
						t.Fatalf("got %s", got)
					}
				}
				synctest.Wait()
				for i := 1; i < len(began); i++ {
					if rest := began[i].Sub(began[i-1]); rest < Every {
						t.Errorf("run %d came %v after the one before", i+1, rest)
					}
				}
				if len(began) != 3 {
					t.Errorf("%d runs in 70 s", len(began))
				}
				s.accepts = fmt.Sprint("token-", len(began)+1)
				time.Sleep(Every)
				send(t, tr) // learns of the rejection, if it was not before
				if got := send(t, tr); name == "rejected" && got != "200" {
					t.Errorf("with the new token: %s", got)
				}
			})
		})
	}
}

// TestRejectedForAWhile checks that a credential that only a person can replace is sent again and
// again, also when its plugin could run again: the API server may accept it after a while.
func TestRejectedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{accepts: "none"}
		cfg := &rest.Config{ExecProvider: &clientcmdapi.ExecConfig{Command: "/opt/login", InteractiveMode: clientcmdapi.AlwaysExecInteractiveMode, StdinUnavailable: true}}
		tr, err := New(cfg, &Credential{Token: "token"}, &Terminal{}, func(string, string) (http.RoundTripper, error) { return s, nil })
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got := send(t, tr); got != "401" {
				t.Errorf("while it is rejected: %s", got)
			}
			time.Sleep(Every)
		}
		s.accepts = "token"
		if got := send(t, tr); got != "200" {
			t.Errorf("once it is accepted: %s", got)
		}
	})
}

// TestPluginHangs checks that a plugin that hangs holds no request longer than the request
// wants to wait, and is not started again meanwhile.
func TestPluginHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := prepared(t, &server{accepts: "token"})
		runs := 0
		tr.ask = func(ctx context.Context) (Credential, error) {
			runs++
			<-ctx.Done()
			return Credential{}, ctx.Err()
		}
		for range 100 {
			began := time.Now()
			if got := send(t, tr); !strings.Contains(got, ErrRunning.Error()) {
				t.Fatalf("got %s", got)
			}
			if took := time.Since(began); took > time.Second {
				t.Fatalf("took %v", took)
			}
		}
		tr.Close()
		synctest.Wait()
		if runs != 1 {
			t.Errorf("%d runs", runs)
		}
	})
}

// TestLoginDeadline checks how long a plugin may take that a person may have to answer, on a
// terminal before the screen opens, and that it is named then.
func TestLoginDeadline(t *testing.T) {
	defer func(was func(context.Context, *exec.Cmd) error) { run = was }(run)
	run = func(ctx context.Context, cmd *exec.Cmd) error {
		if cmd.Stdin == nil {
			return errors.New("no terminal")
		}
		<-ctx.Done()
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		cfg := &rest.Config{ExecProvider: &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: "/opt/login", InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode}}
		began := time.Now()
		_, err := LogIn(t.Context(), cfg, Terminal{In: strings.NewReader(""), Err: io.Discard})
		if !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "credential plugin login: ") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 5*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

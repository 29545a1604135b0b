// Package plugin runs the credential plugins of kubeconfigs (users[].user.exec): with a
// deadline, without a terminal unless a person asked, seldom, and never twice at a time.
package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/pkg/apis/clientauthentication/install"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/watch/client/apart"
)

const (
	// mostOutput is how much a plugin may print on stdout, and on stderr, in bytes.
	mostOutput = 1 << 20
	// grace is how long the pipes of a plugin that has ended are read.
	grace = 200 * time.Millisecond
)

// ErrNoAnswer is the error of a plugin that was killed because its time was over.
var ErrNoAnswer = errors.New("no answer in time")

// Credential is what a credential plugin printed.
type Credential struct {
	Token     string
	Cert, Key string // PEM; empty without a client certificate
	// Until is when it expires; zero if the plugin did not say.
	Until time.Time
}

// Terminal is what a plugin may ask a person on.
type Terminal struct {
	In  io.Reader
	Err io.Writer
}

// run executes a program; a test without one replaces it.
var run = func(_ context.Context, cmd *exec.Cmd) error { return cmd.Run() }

// LogIn runs the credential plugin of a configuration if it may ask a person, on a terminal.
// It returns nil if there is nothing to ask.
func LogIn(ctx context.Context, cfg *rest.Config, t Terminal) (*Credential, error) {
	p := cfg.ExecProvider
	if p.StdinUnavailable || p.InteractiveMode == clientcmdapi.NeverExecInteractiveMode || Unattended(p) || !Permitted(p) {
		return nil, nil
	}
	c, err := Run(ctx, cfg, asked, &t)
	if err != nil {
		return nil, Named(p, err)
	}
	return &c, nil
}

// Run executes the credential plugin of a configuration for at most a time. Without a
// terminal the plugin has no stdin and a session of its own; it is killed when its time is
// over, on Unix with its children.
func Run(ctx context.Context, cfg *rest.Config, most time.Duration, terminal *Terminal) (Credential, error) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	p := cfg.ExecProvider
	version, err := schema.ParseGroupVersion(p.APIVersion)
	if err != nil {
		return Credential{}, err
	}
	request := clientauthentication.ExecCredential{Spec: clientauthentication.ExecCredentialSpec{Interactive: terminal != nil}}
	if p.ProvideClusterInfo {
		if request.Spec.Cluster, err = rest.ConfigToExecCluster(cfg); err != nil {
			return Credential{}, err
		}
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme)
	info, err := runtime.Encode(codecs.LegacyCodec(version), &request)
	if err != nil {
		return Credential{}, err
	}
	cmd := exec.CommandContext(limited, p.Command, p.Args...)
	cmd.Env = os.Environ()
	for _, e := range p.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	cmd.Env = append(cmd.Env, "KUBERNETES_EXEC_INFO="+string(info))
	var text bytes.Buffer
	var stderr apart.Tail
	stdout, noise := &limit{to: &text, left: mostOutput, kill: cancel}, &limit{to: &stderr, left: mostOutput, kill: cancel}
	cmd.Stdout, cmd.Stderr = stdout, noise
	cmd.WaitDelay = grace
	if terminal != nil {
		// Through a pipe, too: on the terminal itself its output has no bound.
		cmd.Stdin, noise.to = terminal.In, terminal.Err
	} else {
		apart.Set(cmd)
	}
	switch err := run(limited, cmd); {
	case stdout.over, noise.over:
		return Credential{}, fmt.Errorf("it printed more than %d MiB", mostOutput>>20)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return Credential{}, explain(&stderr, ErrNoAnswer)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child that keeps the pipe open changes no answer
		return Credential{}, explain(&stderr, err)
	}
	var answer clientauthentication.ExecCredential
	_, kind, err := codecs.UniversalDecoder(version).Decode(text.Bytes(), nil, &answer)
	switch s := answer.Status; {
	case err != nil:
		return Credential{}, errors.New("it printed no ExecCredential") // not what it printed, which may hold a token
	case kind.GroupVersion() != version:
		return Credential{}, fmt.Errorf("it returned %s, the kubeconfig requires %s", kind.GroupVersion(), version)
	case s == nil, s.Token == "" && s.ClientCertificateData == "", (s.ClientCertificateData == "") != (s.ClientKeyData == ""):
		return Credential{}, errors.New("it returned no credential")
	}
	c := Credential{Token: answer.Status.Token, Cert: answer.Status.ClientCertificateData, Key: answer.Status.ClientKeyData}
	if t := answer.Status.ExpirationTimestamp; t != nil {
		c.Until = t.Time
	}
	return c, nil
}

// limit writes so many bytes. Writing more fails, and kills the program that writes.
type limit struct {
	to   io.Writer
	left int
	over bool
	kill func()
}

// Write implements io.Writer.
func (l *limit) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		l.over = true
		l.kill()
		return 0, errors.New("too much output")
	}
	return l.to.Write(p)
}

// explain adds the last line that a plugin wrote on stderr to an error.
func explain(stderr *apart.Tail, err error) error {
	if last := stderr.Last(); last != "" {
		return fmt.Errorf("%s (%w)", last, err)
	}
	return err
}

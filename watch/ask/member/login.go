package member

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/pkg/apis/clientauthentication/install"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// LoginDeadline bounds the credential plugin of an automatic member query.
	LoginDeadline = 6 * time.Second
	// loginPause is how long no automatic query starts a credential plugin that failed.
	loginPause = time.Minute
	// loginKept is how long a credential without an expiration time is used.
	loginKept = 5 * time.Minute
	// loginStderr is how much of what a credential plugin says is kept, in bytes.
	loginStderr = 4096
	// loginStdout is how much a credential plugin may print, in bytes.
	loginStdout = 1 << 20
)

// unattendedModes are the login modes of Azure's kubelogin that need no person.
var unattendedModes = []string{"azurecli", "azd", "msi", "spn", "workloadidentity"}

// unattended reports whether a credential plugin asks no person. A program that needs
// no terminal (interactiveMode Never) may still open a browser or wait for a device
// code: those known to are excluded, whatever the kubeconfig says. Programs that are
// known to need no person need no Never, since tools that write kubeconfigs omit it.
func unattended(p *clientcmdapi.ExecConfig) bool {
	if p.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode {
		return false
	}
	// An OIDC login opens a browser, also behind a shell or another name.
	for _, word := range strings.Fields(strings.Join(append([]string{p.Command}, p.Args...), " ")) {
		if strings.HasPrefix(strings.ToLower(word), "--oidc-") || attended.MatchString(programName(word)) {
			return false
		}
	}
	switch programName(p.Command) {
	case "aws-iam-authenticator", "doctl", "gke-gcloud-auth-plugin":
		return true
	case "aws":
		return slices.Contains(p.Args, "eks") && slices.Contains(p.Args, "get-token")
	case "kubelogin": // of Azure; the OIDC one has no login mode
		return slices.Contains(unattendedModes, azureMode(p))
	}
	if slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, "kubelogin") }) {
		return false // behind a shell its login mode is not known
	}
	return p.InteractiveMode == clientcmdapi.NeverExecInteractiveMode
}

// attended matches the names of programs that ask a person, with or without a version.
var attended = regexp.MustCompile(`oidc[-_]login|^(kubectl|pinniped|tsh)([-_.].*)?$`)

// programName is the name of a program without its directory and the ending that
// Windows gives it.
func programName(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// azureMode is the login mode of Azure's kubelogin: its environment outweighs its
// flags.
func azureMode(p *clientcmdapi.ExecConfig) string {
	const key = "AAD_LOGIN_METHOD"
	mode := ""
	for i, arg := range p.Args {
		name, value, joined := strings.Cut(arg, "=")
		if name != "--login" && name != "-l" {
			continue
		}
		if !joined && i+1 < len(p.Args) {
			value = p.Args[i+1]
		}
		mode = value
	}
	if value, is := os.LookupEnv(key); is {
		mode = value
	}
	for _, e := range p.Env {
		if e.Name == key {
			mode = e.Value
		}
	}
	return mode
}

// Logins executes the credential plugins of automatic member queries. client-go
// runs such a program without a deadline and with the terminal of this one.
type Logins struct {
	mu    sync.Mutex // also keeps a program from running twice at a time
	known map[string]login
}

// login is what a credential plugin returned, and until when that is used.
type login struct {
	context string
	status  *clientauthentication.ExecCredentialStatus
	err     error
	until   time.Time
}

// Reject forgets the credential that a member refused to a client of a context, so that
// the next query starts the credential plugin again, at the earliest after loginPause. A
// newer credential of the context stays.
func (l *Logins) Reject(name string, c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for key, known := range l.known {
		if known.context == name && known.err == nil && credentialOf(known.status.Token, []byte(known.status.ClientCertificateData)) == c.credential {
			known.err = errors.New("the member rejected its credential (401)")
			known.status, known.until = nil, now.Add(loginPause)
			l.known[key] = known
		}
	}
}

// Config returns the configuration of a context with the credential that its
// credential plugin prints. It starts no program that may ask a person.
func (l *Logins) Config(ctx context.Context, found Context) (*rest.Config, engine.Text) {
	p := found.Config.ExecProvider
	if p == nil {
		return found.Config, engine.Text{}
	}
	program := engine.Clean(filepath.Base(p.Command))
	if !unattended(p) {
		return nil, engine.Textf("credential plugin %s of context %s may ask a person; press m to read the member", program, engine.Clean(found.Name))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprintf("%q %q %q %q %q", found.Name, found.Config.Host, p.Command, p.Args, p.Env)
	known, now := l.known[key], time.Now()
	if !now.Before(known.until) {
		known = runLogin(ctx, found.Config)
		maps.DeleteFunc(l.known, func(_ string, m login) bool { return !now.Before(m.until) })
		if l.known == nil {
			l.known = map[string]login{}
		}
		if !errors.Is(ctx.Err(), context.Canceled) { // the page was left: the program was not to blame
			known.context = found.Name
			l.known[key] = known
		}
	}
	if known.err != nil {
		return nil, engine.Textf("credential plugin %s of context %s failed: %s", program, engine.Clean(found.Name), engine.Clean(known.err.Error()))
	}
	cfg := rest.CopyConfig(found.Config)
	cfg.ExecProvider = nil
	cfg.BearerToken = known.status.Token
	if known.status.ClientCertificateData != "" {
		cfg.CertFile, cfg.CertData = "", []byte(known.status.ClientCertificateData)
		cfg.KeyFile, cfg.KeyData = "", []byte(known.status.ClientKeyData)
	}
	return cfg, engine.Text{}
}

// runLogin executes the credential plugin of a configuration. The program has no
// stdin and no terminal; it is killed when its time is over, on Unix with its children.
func runLogin(ctx context.Context, cfg *rest.Config) login {
	limited, cancel := context.WithTimeout(ctx, LoginDeadline)
	defer cancel()
	now := time.Now()
	failed := func(err error) login { return login{err: err, until: now.Add(loginPause)} }
	p := cfg.ExecProvider
	version, err := schema.ParseGroupVersion(p.APIVersion)
	if err != nil {
		return failed(err)
	}
	var request clientauthentication.ExecCredential
	if p.ProvideClusterInfo {
		if request.Spec.Cluster, err = rest.ConfigToExecCluster(cfg); err != nil {
			return failed(err)
		}
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme)
	info, err := runtime.Encode(codecs.LegacyCodec(version), &request)
	if err != nil {
		return failed(err)
	}
	cmd := exec.CommandContext(limited, p.Command, p.Args...)
	cmd.Env = os.Environ()
	for _, e := range p.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	cmd.Env = append(cmd.Env, "KUBERNETES_EXEC_INFO="+string(info))
	var stdout head
	var stderr tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = client.LoginGrace
	apart(cmd)
	switch err := cmd.Run(); {
	case stdout.full:
		return failed(fmt.Errorf("it printed more than %d bytes", loginStdout))
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return failed(stderr.explain(errors.New("no answer in time")))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child that keeps the pipe open changes no answer
		return failed(stderr.explain(err))
	}
	var answer clientauthentication.ExecCredential
	_, kind, err := codecs.UniversalDecoder(version).Decode(stdout.text, nil, &answer)
	switch s := answer.Status; {
	case err != nil:
		return failed(errors.New("it printed no ExecCredential")) // not what it printed, which may hold a token
	case kind.GroupVersion() != version:
		return failed(fmt.Errorf("it returned %s, the kubeconfig requires %s", kind.GroupVersion(), version))
	case s == nil, s.Token == "" && s.ClientCertificateData == "", (s.ClientCertificateData == "") != (s.ClientKeyData == ""):
		return failed(errors.New("it returned no credential"))
	}
	until := now.Add(loginKept)
	if t := answer.Status.ExpirationTimestamp; t != nil {
		until = t.Time
	}
	return login{status: answer.Status, until: until}
}

// head keeps the beginning of what is written to it. Writing more than it keeps
// fails, which closes the pipe of the program that writes.
type head struct {
	text []byte
	full bool
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	if len(h.text)+len(p) > loginStdout {
		h.full = true
		return 0, errors.New("too much output")
	}
	h.text = append(h.text, p...)
	return len(p), nil
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-loginStderr):]
	return len(p), nil
}

// explain adds the last line to an error.
func (t *tail) explain(err error) error {
	lines := bytes.Split(bytes.TrimSpace(t.text), []byte("\n"))
	if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 {
		return fmt.Errorf("%s (%w)", last, err)
	}
	return err
}

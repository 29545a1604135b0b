package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/engine"
)

// memberContexts finds the kubeconfig contexts of members for a job.
type memberContexts struct{ *job }

// Find returns the context of a member: the one that a person chose, now or
// before, else the one that the configuration names, else the one that is called
// like the member. Another one is never guessed. The kubeconfig is read anew,
// since logging in changes it; its current context plays no part and stays.
func (m memberContexts) Find(member string, chosen engine.Text) (string, *rest.Config, engine.Text) {
	rules, raw, err := m.kubeconfig()
	if err != nil {
		return "", nil, engine.Textf("the kubeconfig cannot be read: %s", engine.Clean(err.Error()))
	}
	name, whence := m.config.memberContext(member)
	if before := rememberedContext(m.conn.context, member); before != "" {
		name, whence = before, "was chosen"
	}
	if !chosen.IsZero() {
		for n := range raw.Contexts {
			if engine.Clean(n) == chosen {
				name, whence = n, "was chosen"
			}
		}
		if err := rememberContext(m.conn.context, member, name); err != nil {
			return "", nil, engine.Textf("the choice cannot be remembered: %s", engine.Clean(err.Error()))
		}
	}
	if raw.Contexts[name] == nil {
		if whence != "" {
			return "", nil, engine.Textf("context %s %s for it, which the kubeconfig does not have", engine.Clean(name), engine.Clean(whence))
		}
		return "", nil, engine.Textf("no context of the kubeconfig is called %s; choose one, or name it under members in config.yaml", engine.Clean(name))
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return "", nil, engine.Textf("context %s cannot be used: %s", engine.Clean(name), engine.Clean(err.Error()))
	}
	cfg.UserAgent = "stagewatch/" + buildVersion()
	quietLogin(cfg)
	return name, cfg, engine.Text{}
}

// Agreed reports whether a person said which context leads to a member: once,
// on its page, or in the configuration.
func (m memberContexts) Agreed(member string) bool {
	_, whence := m.config.memberContext(member)
	return whence != "" || rememberedContext(m.conn.context, member) != ""
}

// Names are the contexts of the kubeconfig but those of the hub: its own, and
// other users of it.
func (m memberContexts) Names() []engine.Text {
	_, raw, err := m.kubeconfig()
	if err != nil {
		return nil
	}
	server := func(context string) string {
		if c := raw.Contexts[context]; c != nil && raw.Clusters[c.Cluster] != nil {
			return raw.Clusters[c.Cluster].Server
		}
		return ""
	}
	hub := server(m.conn.context)
	var names []engine.Text
	for _, n := range slices.Sorted(maps.Keys(raw.Contexts)) {
		if n != m.conn.context && (hub == "" || server(n) != hub) {
			names = append(names, engine.Clean(n))
		}
	}
	return names
}

func (m memberContexts) kubeconfig() (*clientcmd.ClientConfigLoadingRules, *clientcmdapi.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = m.conn.file
	rules.WarnIfAllMissing = false
	raw, err := rules.Load()
	return rules, raw, err
}

// memberContext is the name of the context that a member is reached with, and
// who says so, if anybody does. Of several keys that match, one without * counts,
// then the longest, then the first by name.
func (c config) memberContext(member string) (name, whence string) {
	const here = "is named by the configuration"
	best := ""
	for _, pattern := range slices.Sorted(maps.Keys(c.Members)) {
		switch {
		case pattern == member:
			return strings.ReplaceAll(c.Members[pattern], "{member}", member), here
		case globMatch(pattern, member) && len(pattern) > len(best):
			best = pattern
		}
	}
	if best == "" {
		return member, ""
	}
	return strings.ReplaceAll(c.Members[best], "{member}", member), here
}

// chosenContexts are the choices of the past, by the hub's context and member.
type chosenContexts map[string]map[string]string

func choicesFile() string {
	dir := stateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "members.json")
}

func readChoices() (chosenContexts, error) {
	raw, err := os.ReadFile(choicesFile())
	if errors.Is(err, fs.ErrNotExist) {
		return chosenContexts{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read choices: %w", err)
	}
	c := chosenContexts{}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("read %s: %w", choicesFile(), err)
	}
	return c, nil
}

// rememberedContext is what was chosen before; a file that cannot be read holds
// no choice, and the next one says why it cannot be written.
func rememberedContext(hub, member string) string {
	if choicesFile() == "" {
		return ""
	}
	c, err := readChoices()
	if err != nil {
		return ""
	}
	return c[hub][member]
}

// rememberContext keeps a choice.
func rememberContext(hub, member, context string) error {
	path := choicesFile()
	if path == "" {
		return errors.New("there is no home directory")
	}
	c, err := readChoices()
	if err != nil {
		return err
	}
	if c[hub][member] == context {
		return nil
	}
	if c[hub] == nil {
		c[hub] = map[string]string{}
	}
	c[hub][member] = context
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write choices: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write choices: %w", err)
	}
	// Whole or not at all: another session may write at the same time.
	tmp, err := os.CreateTemp(filepath.Dir(path), "members-*.tmp")
	if err != nil {
		return fmt.Errorf("write choices: %w", err)
	}
	_, err = tmp.Write(append(raw, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write choices: %w", errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

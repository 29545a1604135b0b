package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask/member"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	agentLabel     = "app.kubernetes.io/name=hub-agent"
	agentContainer = "hub-agent"
)

const (
	// agentPods is how many of the controller's pods are read, agentLines how
	// much of the log of each, agentShown how many lines of it are shown.
	agentPods  = 3
	agentLines = "4000"
	agentBytes = "4194304"
	agentShown = 200
)

// logs reads what the hub's controller logged about a run, where it runs as pods
// of the hub and this user may read them.
func (p *pages) logs(ctx context.Context, q page.LogsQuestion) (page.Answer, error) {
	f := page.LogsFacts{Question: q, Hub: p.Named}
	var pods []string
	pods, f.Why = p.controllerPods(ctx)
	for _, pod := range pods {
		f.Pods = append(f.Pods, p.logOf(ctx, q.Run, pod))
	}
	f.Now = p.now()
	return page.LogsPage(f), nil
}

// controllerPods lists the pods of the hub's controller, as many as are read; why says why there
// are none.
func (p *pages) controllerPods(ctx context.Context) (names []string, why engine.Text) {
	raw, err := p.Hub.Do(ctx, p.Hub.Request(http.MethodGet).AbsPath("/api/v1").Namespace(member.AgentNamespace).Resource("pods").
		Param("labelSelector", agentLabel).Param("limit", "20").MaxRetries(0))
	var pods struct {
		Items []struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
		} `json:"items"`
	}
	if err == nil {
		if broken := json.Unmarshal(raw, &pods); broken != nil {
			err = fmt.Errorf("read pods: %w", errors.Join(client.ErrNotJSON, broken))
		}
	}
	switch {
	case client.KindOf(err) == client.NotServed:
		return nil, engine.Lit("this hub serves no pods")
	case err != nil:
		return nil, p.why(err)
	case len(pods.Items) == 0:
		return nil, engine.Textf("namespace %s has no pods with label %s", engine.Clean(member.AgentNamespace), engine.Clean(agentLabel))
	}
	for i := range pods.Items[:min(agentPods, len(pods.Items))] {
		names = append(names, pods.Items[i].Metadata.Name)
	}
	return names, engine.Text{}
}

func (p *pages) logOf(ctx context.Context, run engine.ID, pod string) page.LogOf {
	l := page.LogOf{Pod: pod}
	raw, err := p.Hub.Do(ctx, p.Hub.Request(http.MethodGet).AbsPath("/api/v1").Namespace(member.AgentNamespace).Resource("pods").Name(pod).SubResource("log").
		Param("container", agentContainer).Param("tailLines", agentLines).Param("limitBytes", agentBytes).MaxRetries(0))
	if err != nil {
		l.Why = p.why(err)
		return l
	}
	for line := range bytes.Lines(raw) {
		l.Read++
		if s := strings.TrimRight(string(line), "\r\n"); page.AboutRun(s, run) {
			l.Lines = append(l.Lines, s)
		}
	}
	l.Lines = l.Lines[max(0, len(l.Lines)-agentShown):]
	return l
}

package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/members"
	rollout "github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// healthyFleet starts the scenario in which every run ends as it should.
func healthyFleet(t *testing.T) *Fleet {
	t.Helper()
	f, err := Start(t.Context(), healthy(), Options{Timing: quick(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestHubAgentLogs reads the log of a run through the hub, as the log page does.
func TestHubAgentLogs(t *testing.T) {
	t.Parallel()
	f := healthyFleet(t)
	o := lookAt(t, f.Hub())
	o.awaitRun("", "checkout-r1", "Succeeded=True/UpdateRunSucceeded")
	s, err := watch.Open(t.Context(), watch.Config{REST: f.Hub().AdminConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := o.run("", "checkout-r1")
	id := rollout.NewID(rollout.KindClusterStagedUpdateRun, "", run.Name, string(run.UID))
	var text string
	o.await("the log", func() string { // a busy hub may not answer in time
		text = fmt.Sprintf("%+v", s.Ask(t.Context(), page.LogsQuestion{Run: id}))
		for _, want := range []string{agentPod, "Initialized the updateRun", "weu-prod-2", "The updateRun is completed"} {
			if !strings.Contains(text, want) {
				return fmt.Sprintf("no %q in %s", want, text)
			}
		}
		return ""
	})
	if strings.Contains(text, "storefront") {
		t.Error("lines about another run")
	}
}

// TestLogsAreFollowed follows a log of the hub and one of a member while a run goes on: the lines
// come as they are written, and the log of a pod ends when the run has replaced the pod.
func TestLogsAreFollowed(t *testing.T) {
	t.Parallel()
	f := healthyFleet(t)
	config := f.Hub().Config(hub.AdminUser)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	get := func(path string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %+v", path, err, answer)
		}
		return answer
	}
	follow := func(path string) <-chan string {
		t.Helper()
		lines, answer := make(chan string, 10000), get(path)
		go func() {
			defer close(lines)
			defer answer.Body.Close()
			for s := bufio.NewScanner(answer.Body); s.Scan(); {
				lines <- s.Text()
			}
		}()
		return lines
	}
	const member = members.Path + "weu-prod-2/api/v1/"
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	followPod := func(params string) (pod string, lines <-chan string) {
		t.Helper()
		lookAt(t, f.Hub()).await("pods", func() string {
			answer := get(member + "pods")
			defer answer.Body.Close()
			if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || len(list.Items) == 0 {
				return fmt.Sprintf("%d pods: %v", len(list.Items), err)
			}
			return ""
		})
		of := list.Items[0].Metadata
		return of.Name, follow(member + "namespaces/" + of.Namespace + "/pods/" + of.Name + "/log?follow=true" + params)
	}
	pod, old := followPod("")
	controller := follow("/api/v1/namespaces/fleet-system/pods/" + agentPod + "/log?follow=true&tailLines=0")
	for line := range controller {
		if strings.Contains(line, "The updateRun is completed") && strings.Contains(line, "checkout-r1") {
			break
		}
	}
	for range old { // it ends with the pod
		continue
	}
	now, lines := followPod("&tailLines=0")
	if line := <-lines; now == pod || !strings.Contains(line, "GET /healthz") {
		t.Errorf("the log of %s, which replaced %s: %q", now, pod, line)
	}
}

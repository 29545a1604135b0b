package act

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// accessFor is how long an answer about a right is believed.
	accessFor = 5 * time.Minute
	// accessAgain is the pause after a review that brought no answer.
	accessAgain = 15 * time.Second
)

// acts are what rights are asked for.
var acts = []engine.Act{engine.ActApprove, engine.ActRun, engine.ActClone, engine.ActDelete}

// rights lists what the acts on runs of a kind in a namespace take.
func rights(run engine.Kind, namespace string) []engine.Right {
	out := make([]engine.Right, 0, len(acts))
	for _, a := range acts {
		out = append(out, engine.Needs(a, run, namespace))
	}
	return out
}

// Rights reviews the permissions of this user in the background, so that acts
// without permission are unavailable before a key is pressed. One goroutine, Run, owns
// it and repeats each review when its answer expires.
type Rights struct {
	hub      *client.Client
	settings engine.Settings
	// learned gets every answer.
	learned func(engine.Right, engine.Grant)
	// namespace is the one that is watched, empty for all.
	namespace string
	wantc     chan string // a namespace that is looked at; cap 1, latest wins

	due map[engine.Right]time.Time // when to ask again
}

// NewRights returns Rights for runs of one namespace, of all if it is empty. learned
// gets every answer.
func NewRights(hub *client.Client, settings engine.Settings, namespace string, learned func(engine.Right, engine.Grant)) *Rights {
	return &Rights{hub: hub, settings: settings, namespace: namespace, learned: learned, wantc: make(chan string, 1)}
}

// Want adds the namespace of what is on the screen. It never blocks.
func (r *Rights) Want(namespace string) {
	select {
	case <-r.wantc:
	default:
	}
	select {
	case r.wantc <- namespace:
	default: // another goroutine stored one in between
	}
}

// Run asks for what is due until ctx ends.
func (r *Rights) Run(ctx context.Context) {
	r.due = map[engine.Right]time.Time{}
	if r.settings.ClusterRuns {
		r.watch(engine.KindClusterStagedUpdateRun, "")
	}
	if r.settings.NamespacedRuns {
		r.watch(engine.KindStagedUpdateRun, r.namespace)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case ns := <-r.wantc:
			if ns != "" {
				r.watch(engine.KindStagedUpdateRun, ns)
			}
		case <-timer.C:
		}
		timer.Reset(r.ask(ctx))
	}
}

// watch asks for the rights in a namespace from now on.
func (r *Rights) watch(kind engine.Kind, namespace string) {
	for _, right := range rights(kind, namespace) {
		if _, known := r.due[right]; !known {
			r.due[right] = time.Time{}
		}
	}
}

// ask asks for what is due and returns how long nothing will be.
func (r *Rights) ask(ctx context.Context) time.Duration {
	next := accessFor
	for right, at := range r.due {
		if wait := time.Until(at); wait > 0 {
			next = min(next, wait)
			continue
		}
		grant, again := accessReview(ctx, r.hub, right)
		if ctx.Err() != nil {
			return next
		}
		r.due[right] = time.Now().Add(again)
		next = min(next, again)
		r.learned(right, grant)
	}
	return next
}

// accessReview asks the hub whether this person has a right. A hub that does
// not say so leaves it unknown: neither yes nor no. The second result is how
// long the answer may be believed.
func accessReview(ctx context.Context, h *client.Client, right engine.Right) (engine.Grant, time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, client.Deadline)
	defer cancel()
	attributes := map[string]any{
		"group": placement.Group, "version": h.ServedVersion(),
		"resource": right.Kind.Plural(), "verb": right.Verb.String(),
	}
	if right.Status {
		attributes["subresource"] = "status"
	}
	if ns := right.Namespace(); ns != "" {
		attributes["namespace"] = ns
	}
	allowed, known, err := postReview(ctx, h, attributes)
	switch client.KindOf(err) {
	case client.NoFailure:
	case client.Forbidden, client.Missing, client.NotServed, client.Rejected:
		return engine.GrantUnknown, accessFor
	default:
		return engine.GrantUnknown, client.Jitter(accessAgain)
	}
	switch {
	case allowed:
		return engine.GrantYes, accessFor
	case known:
		return engine.GrantNo, accessFor
	}
	return engine.GrantUnknown, accessFor
}

func postReview(ctx context.Context, h *client.Client, attributes map[string]any) (allowed, known bool, err error) {
	body, err := json.Marshal(map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	})
	if err != nil {
		return false, false, fmt.Errorf("encode review: %w", err)
	}
	raw, err := h.Do(ctx, h.Request(http.MethodPost).AbsPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").
		MaxRetries(0).Body(body).SetHeader("Content-Type", "application/json"))
	if err != nil {
		return false, false, err
	}
	var review struct {
		Status *struct {
			Allowed         bool   `json:"allowed"`
			Denied          bool   `json:"denied"`
			EvaluationError string `json:"evaluationError"`
		} `json:"status"`
	}
	if err := json.Unmarshal(raw, &review); err != nil {
		return false, false, fmt.Errorf("read review: %w: %w", client.ErrNotJSON, err)
	}
	if review.Status == nil {
		return false, false, nil
	}
	// An authorizer that failed has not said no (facts of the API: allowed is
	// false then, too).
	return review.Status.Allowed, review.Status.Denied || review.Status.EvaluationError == "", nil
}

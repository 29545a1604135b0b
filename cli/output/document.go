// Package output writes the list, a diagnosis and a plan as table, text, Markdown and
// JSON. The documents are the stable interface for scripts (docs/commands.md).
package output

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// document is what -o json prints. Its keys are stable (docs/schema.md): they are
// added, never renamed or removed. State words are lower case with "-".
type document struct {
	Context engine.Text `json:"context"`
	Server  engine.Text `json:"server"`
	User    engine.Text `json:"user"`
	At      time.Time   `json:"at"`
	Scope   engine.Text `json:"scope"`
	// Complete is false when a run of the scope is not listed, or when a listed
	// one has something in its missing.
	Complete bool `json:"complete"`
	// Missing has the reasons for which Complete is false: the runs that are not listed, then the
	// missing of each listed run.
	Missing []missingDocument `json:"missing,omitempty"`
	Notes   []engine.Text     `json:"notes,omitempty"`
	Runs    []runDocument     `json:"runs"`
}

// missingDocument is a resource that was not read, and the run that lacks it; runs that are
// not listed have no name.
type missingDocument struct {
	identity
	gapDocument
}

// identity names what a document is about.
type identity struct {
	// Hub is the name of the hub that has the run.
	Hub       engine.Text `json:"hub,omitzero"`
	Kind      string      `json:"kind"`
	Namespace engine.Text `json:"namespace,omitzero"`
	Name      engine.Text `json:"name,omitzero"`
}

func identityOf(id engine.ID) identity {
	return identity{Hub: id.Hub().Context(), Kind: id.Kind().String(), Namespace: id.Namespace(), Name: id.Name()}
}

type runDocument struct {
	identity `json:"-"`
	// columns has the fields of the list's columns: state, placement and others.
	columns *engine.RunView

	// NeedsAttention is what the screen counts.
	NeedsAttention bool `json:"needsAttention,omitempty"`

	Slow         bool      `json:"slow,omitempty"`
	ApprovalSent bool      `json:"approvalSent,omitempty"`
	Late         bool      `json:"late,omitempty"`
	WaitUntil    time.Time `json:"waitUntil,omitzero"`

	SpecState          engine.Text `json:"specState,omitzero"`
	Generation         int64       `json:"generation,omitempty"`
	ObservedGeneration int64       `json:"observedGeneration,omitempty"`
	CreatedAt          time.Time   `json:"createdAt,omitzero"`
	StartedAt          time.Time   `json:"startedAt,omitzero"`
	EndedAt            time.Time   `json:"endedAt,omitzero"`
	// Clusters is absent while the run's details are not known.
	Clusters *clusterCounts  `json:"clusters,omitempty"`
	Stages   []stageDocument `json:"stages,omitempty"`
	// PreemptedBy is the run that preempted this one: kind and name.
	PreemptedBy  engine.Text `json:"preemptedBy,omitzero"`
	RecoveryText engine.Text `json:"recoveryText,omitzero"`
	Message      engine.Text `json:"message,omitzero"`
	diagnosisDocument
	// Missing lists the resources that state and diagnosis depend on and that were
	// not read.
	Missing []gapDocument `json:"missing,omitempty"`
}

type clusterCounts struct {
	Total     int `json:"total"`
	Done      int `json:"done"`
	Updating  int `json:"updating"`
	Stuck     int `json:"stuck"`
	Preempted int `json:"preempted"`
	// DoneReplaced is how many of Done another run, or a person, has changed since; absent
	// when the bindings are not read, and of a run that has ended.
	DoneReplaced *int `json:"doneReplaced,omitempty"`
}

type stageDocument struct {
	Name     engine.Text    `json:"name"`
	Deletion bool           `json:"deletion,omitempty"`
	State    string         `json:"state"`
	Since    time.Time      `json:"since,omitzero"`
	Clusters clusterCounts  `json:"clusters"`
	Before   []gateDocument `json:"before,omitempty"`
	After    []gateDocument `json:"after,omitempty"`
}

type gateDocument struct {
	Type      string      `json:"type"`
	State     string      `json:"state"`
	Since     time.Time   `json:"since,omitzero"`
	WaitUntil time.Time   `json:"waitUntil,omitzero"`
	Request   engine.Text `json:"request,omitzero"`
}

// DocumentOf returns the JSON document of the list.
func DocumentOf(s *engine.Snapshot, rows []*engine.RunView) document {
	hub := HubsOf(s)
	d := document{
		Context: hub.Context, Server: hub.Server, User: hub.User, At: s.At.UTC(),
		Scope: s.Scope.Namespaces, Notes: s.Scope.Notes, Runs: make([]runDocument, 0, len(rows)),
	}
	for _, r := range rows {
		d.Runs = append(d.Runs, runDocumentOf(s, r))
	}
	d.Missing = missingOf(s, rows)
	d.Complete = len(d.Missing) == 0
	return d
}

// HubsOf names the hubs of a list, each once.
func HubsOf(s *engine.Snapshot) engine.Hub {
	if len(s.Hubs) == 0 {
		return s.Hub
	}
	join := func(of func(engine.Hub) engine.Text) engine.Text {
		var all []engine.Text
		for _, h := range s.Hubs {
			if x := of(h.Hub); !x.IsZero() && !slices.Contains(all, x) {
				all = append(all, x)
			}
		}
		return engine.Join(all, ", ")
	}
	return engine.Hub{
		Context: join(func(h engine.Hub) engine.Text { return h.Context }),
		Server:  join(func(h engine.Hub) engine.Text { return h.Server }),
		User:    join(func(h engine.Hub) engine.Text { return h.User }),
	}
}

// missingOf lists what was asked for and was not read.
func missingOf(s *engine.Snapshot, rows []*engine.RunView) []missingDocument {
	var out []missingDocument
	for _, set := range s.Scope.Runs {
		if set.State != engine.CoverComplete && set.State != engine.CoverNotServed {
			why := engine.Clean(set.State.String())
			if err := s.Of(set.ID).Link.Err; set.State == engine.CoverFailed && len(s.Hubs) > 0 && !err.IsZero() {
				why = err
			}
			out = append(out, missingDocument{identityOf(set.ID), gapDocument{
				Resource: engine.Lit("runs"), Reason: why, Forbidden: set.State == engine.CoverForbidden,
			}})
		}
	}
	if !s.Complete && out == nil {
		out = append(out, missingDocument{gapDocument: gapDocument{Resource: engine.Lit("runs"), Reason: engine.Clean(engine.CoverLoading.String())}})
	}
	for _, r := range rows {
		for _, g := range gapsOf(s.Missing[r.ID]) {
			out = append(out, missingDocument{identityOf(r.ID), g})
		}
	}
	return out
}

func runDocumentOf(s *engine.Snapshot, r *engine.RunView) runDocument {
	d := runDocument{
		columns: r, identity: identityOf(r.ID),
		NeedsAttention: r.NeedsAttention(), Slow: r.Slow, ApprovalSent: r.Sent, Late: r.Late, WaitUntil: r.Until, SpecState: r.State,
		Generation: r.Generation, ObservedGeneration: r.Observed,
		CreatedAt: r.Created, StartedAt: r.Started, EndedAt: r.Ended,
		PreemptedBy: r.PreemptedBy.Title(), RecoveryText: r.Why.RecoveryText, Message: r.Why.Quote,
		diagnosisDocument: diagnosisDocumentOf(&r.Why), Missing: gapsOf(s.Missing[r.ID]),
	}
	if !r.Partial {
		d.Clusters = &clusterCounts{Total: r.Total, Done: r.Done, Updating: r.Updating, Stuck: r.Stuck, Preempted: r.Preempted, DoneReplaced: replacedOf(r, r.Replaced)}
	}
	for i := range r.Stages {
		st := &r.Stages[i]
		d.Stages = append(d.Stages, stageDocument{
			Name: st.Name, Deletion: st.Deletion, State: column.Script(r.StageWord(st.State)), Since: st.Since,
			Clusters: clusterCounts{Total: st.Total, Done: st.Done, Updating: st.Updating, Stuck: st.Stuck, Preempted: st.Preempted, DoneReplaced: replacedOf(r, st.Replaced)},
			Before:   gatesOf(st.Before), After: gatesOf(st.After),
		})
	}
	return d
}

// replacedOf is a count of replaced clusters, nil when it is not known.
func replacedOf(r *engine.RunView, n int) *int {
	if !r.Bound || r.Terminal {
		return nil
	}
	return &n
}

func gatesOf(gates []engine.GateView) []gateDocument {
	var out []gateDocument
	for i := range gates {
		g := &gates[i]
		d := gateDocument{Type: "approval", State: column.Script(g.State.String()), Since: g.Since, WaitUntil: g.Until, Request: g.Name}
		if g.Timed {
			d.Type = "timed-wait"
		}
		out = append(out, d)
	}
	return out
}

// MarshalJSON writes the identity, the fields of the columns, then the others.
func (d runDocument) MarshalJSON() ([]byte, error) {
	type others runDocument // without this method
	var out bytes.Buffer
	sep := byte('{')
	fields := func(value any) error {
		var raw bytes.Buffer
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false) // the outer encoder does not take it back
		if err := enc.Encode(value); err != nil {
			return err
		}
		if object := bytes.TrimSpace(raw.Bytes()); len(object) > len("{}") {
			out.WriteByte(sep)
			out.Write(object[1 : len(object)-1])
			sep = ','
		}
		return nil
	}
	if err := fields(d.identity); err != nil {
		return nil, err
	}
	columns := column.All()
	for i := range columns {
		c := &columns[i]
		if c.JSON == "" {
			continue
		}
		if value := c.Value(d.columns); !reflect.ValueOf(value).IsZero() {
			if err := fields(map[string]any{c.JSON: value}); err != nil {
				return nil, err
			}
		}
	}
	if err := fields(others(d)); err != nil {
		return nil, err
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// gapsOf are gaps as JSON has them.
func gapsOf(gaps []engine.Gap) []gapDocument {
	var out []gapDocument
	for _, g := range gaps {
		out = append(out, gapDocument{Resource: g.What, Reason: g.Why, Forbidden: g.Forbidden})
	}
	return out
}

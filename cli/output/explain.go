package output

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/watch"
)

// explainDocument is what explain -o json prints; its keys are stable.
type explainDocument struct {
	Context engine.Text `json:"context"`
	Server  engine.Text `json:"server"`
	User    engine.Text `json:"user"`
	At      time.Time   `json:"at"`
	Run     runDocument `json:"run"`
	// Clusters are those with a diagnosis; absent while the bindings are not read.
	Clusters      []clusterDocument   `json:"clusters,omitempty"`
	Failures      []failureDocument   `json:"failures,omitempty"`
	CompetingRuns []competingDocument `json:"competingRuns,omitempty"`
	// Overrides compares the overrides of the diagnosed cluster with their latest
	// snapshots. Works are those that a deletion waits for.
	Overrides []overrideDocument `json:"overrides,omitempty"`
	Works     []workDocument     `json:"works,omitempty"`
	// Missing lists the resources that were not read.
	Missing []gapDocument `json:"missing,omitempty"`
}

// diagnosisDocument is the diagnosis of a run or a cluster.
type diagnosisDocument struct {
	Cause    string             `json:"cause,omitempty"`
	Recovery string             `json:"recovery,omitempty"`
	Chain    []linkDocument     `json:"chain,omitempty"`
	Evidence []evidenceDocument `json:"evidence,omitempty"`
	// MemberQuery is set when part of the diagnosis was read from a member.
	MemberQuery *memberQueryDocument `json:"memberQuery,omitempty"`
	NextSteps   []engine.Text        `json:"nextSteps,omitempty"`
	Commands    []engine.Text        `json:"commands,omitempty"`
	OtherCauses []string             `json:"otherCauses,omitempty"`
}

type linkDocument struct {
	Level engine.Text `json:"level"`
	Name  engine.Text `json:"name"`
	State engine.Text `json:"state,omitzero"`
	Since time.Time   `json:"since,omitzero"`
}

type memberQueryDocument struct {
	Member  engine.Text `json:"member"`
	Context engine.Text `json:"context"`
	// Verified reports whether it is proven that the context belongs to the
	// member. Verification is the proof, or the reason why there is none.
	Verified     bool        `json:"verified"`
	Verification engine.Text `json:"verification"`
	Summary      engine.Text `json:"summary"`
	At           time.Time   `json:"at"`
}

type evidenceDocument struct {
	Object engine.Text `json:"object"`
	Field  engine.Text `json:"field"`
	Value  engine.Text `json:"value"`
	Since  time.Time   `json:"since,omitzero"`
}

type clusterDocument struct {
	Name        engine.Text `json:"name"`
	Stage       engine.Text `json:"stage"`
	State       string      `json:"state"`
	Started     time.Time   `json:"startedAt,omitzero"`
	Why         engine.Text `json:"why,omitzero"`
	PreemptedBy engine.Text `json:"preemptedBy,omitzero"`
	// OtherRollout says what the cluster's binding reports while its conditions are
	// those of another run's rollout; absent once they are this run's.
	OtherRollout engine.Text `json:"otherRollout,omitzero"`
	diagnosisDocument
}

// failureDocument is one reason for which the controller fails a run.
type failureDocument struct {
	Message engine.Text `json:"message"`
	// Final is false if the controller retries.
	Final bool `json:"final"`
	// Hint is the next step when the message has none.
	Hint engine.Text `json:"hint,omitzero"`
}

// competingDocument is another unfinished run of the placement.
type competingDocument struct {
	identity
	State string      `json:"state"`
	Index engine.Text `json:"snapshotIndex,omitzero"`
}

type overrideDocument struct {
	Namespace engine.Text `json:"namespace,omitzero"`
	Name      engine.Text `json:"name"`
	// Used is the snapshot that the run uses.
	Used engine.Text `json:"used"`
	// Latest is absent when the override was deleted.
	Latest  engine.Text `json:"latest,omitzero"`
	Summary engine.Text `json:"summary"`
}

type workDocument struct {
	Name       engine.Text   `json:"name"`
	Deleted    time.Time     `json:"deletionTimestamp,omitzero"`
	Finalizers []engine.Text `json:"finalizers,omitempty"`
	// Other are those of the finalizers that are not Fleet's.
	Other   []engine.Text `json:"otherFinalizers,omitempty"`
	Objects []engine.Text `json:"objects,omitempty"`
	Summary engine.Text   `json:"summary"`
}

// gapDocument is a resource that was not read.
type gapDocument struct {
	Resource  engine.Text `json:"resource"`
	Reason    engine.Text `json:"reason"`
	Forbidden bool        `json:"forbidden"`
}

func diagnosisDocumentOf(d *engine.Diagnosis) diagnosisDocument {
	out := diagnosisDocument{NextSteps: d.Steps, Commands: d.Commands}
	if !d.What.IsZero() {
		out.Cause, out.Recovery = d.Cause.String(), d.Recovery.String()
	}
	for _, h := range d.Path {
		out.Chain = append(out.Chain, linkDocument{Level: h.Level, Name: h.Name, State: h.State, Since: utc(h.Since)})
	}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		out.Evidence = append(out.Evidence, evidenceDocument{Object: e.Object, Field: e.Field, Value: e.Value, Since: utc(e.Since)})
	}
	if r := &d.Read; !r.Says.IsZero() {
		out.MemberQuery = &memberQueryDocument{
			Member: r.Member, Context: r.Context, Verified: r.Identity.Verdict == engine.Verified, Verification: r.Identity.Why, Summary: r.Says, At: r.At.UTC(),
		}
	}
	for _, c := range d.Also {
		out.OtherCauses = append(out.OtherCauses, c.Cause.String())
	}
	return out
}

// ExplainDocumentOf returns the JSON document of a diagnosis.
func ExplainDocumentOf(e *watch.Explained) explainDocument {
	s := e.Snapshot
	d := explainDocument{
		Context: s.Hub.Context, Server: s.Hub.Server, User: s.Hub.User, At: s.At.UTC(), Run: runDocumentOf(s, e.Run),
	}
	if e.Detail != nil {
		for i, stage := range e.Detail.Clusters {
			for j := range stage {
				if c := &stage[j]; !c.Diagnosis.What.IsZero() {
					d.Clusters = append(d.Clusters, clusterDocument{
						Name: c.Name, Stage: e.Run.Stages[i].Name, State: column.Script(e.Run.ClusterWord(c.State)), Started: utc(c.Started),
						Why: c.Why, PreemptedBy: c.PreemptedBy.Title(), OtherRollout: c.Foreign, diagnosisDocument: diagnosisDocumentOf(&c.Diagnosis),
					})
				}
			}
		}
	}
	if !e.Plan.Finished {
		for i := range e.Plan.Refusals {
			d.Failures = append(d.Failures, failureDocument(e.Plan.Refusals[i]))
		}
	}
	f := e.Facts()
	if f.Hub != nil {
		for _, o := range f.Hub.Overrides {
			d.Overrides = append(d.Overrides, overrideDocument{
				Namespace: engine.Clean(o.Namespace), Name: engine.Clean(o.Name()), Used: engine.Clean(o.Used), Latest: engine.Clean(o.Latest), Summary: o.Says(),
			})
		}
		held := f.Hub.Held()
		for i := range held {
			w := &held[i]
			d.Works = append(d.Works, workDocument{Name: w.Work, Deleted: utc(w.Since.Time), Finalizers: w.Finalizers, Other: w.Foreign, Objects: w.Objects, Summary: w.Says()})
		}
	}
	for _, o := range f.CompetingRuns() {
		d.CompetingRuns = append(d.CompetingRuns, competingDocument{identity: identityOf(o.ID), State: column.Script(o.Word.String()), Index: o.Index})
	}
	d.Missing = gapsOf(f.Gaps())
	return d
}

// utc keeps a time that is not known as one that is not known.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}

package output

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/watch"
)

// explainDocument is what explain -o json prints, under the rules of document.
type explainDocument struct {
	Context engine.Text `json:"context"`
	Server  engine.Text `json:"server"`
	User    engine.Text `json:"user"`
	At      time.Time   `json:"at"`
	Run     runDocument `json:"run"`
	// Clusters are those in trouble; absent while none are known, see unknown.
	Clusters  []clusterDocument `json:"clusters,omitempty"`
	Refusals  []engine.Text     `json:"refusals,omitempty"`
	OtherRuns []otherDocument   `json:"otherRuns,omitempty"`
	// Overrides compares the overrides of the cluster in trouble with their latest
	// snapshots. Works are those that a deletion waits for.
	Overrides []overrideDocument `json:"overrides,omitempty"`
	Works     []workDocument     `json:"works,omitempty"`
	// Unknown lists what could not be read; facts from it are missing.
	Unknown []gapDocument `json:"unknown,omitempty"`
}

// diagnosisDocument is what is known of why something is as it is.
type diagnosisDocument struct {
	Cause    string             `json:"cause,omitempty"`
	CanHeal  string             `json:"canHeal,omitempty"`
	Path     []hopDocument      `json:"path,omitempty"`
	Evidence []evidenceDocument `json:"evidence,omitempty"`
	// MemberRead is set when part of the diagnosis was read from a member.
	MemberRead *memberReadDocument `json:"memberRead,omitempty"`
	Steps      []engine.Text       `json:"steps,omitempty"`
	Commands   []engine.Text       `json:"commands,omitempty"`
	Also       []string            `json:"also,omitempty"`
}

type hopDocument struct {
	Level engine.Text `json:"level"`
	Name  engine.Text `json:"name"`
	State engine.Text `json:"state,omitzero"`
	Since time.Time   `json:"since,omitzero"`
}

type memberReadDocument struct {
	Member  engine.Text `json:"member"`
	Context engine.Text `json:"context"`
	// Verified reports whether it is proven that the context belongs to the
	// member. Identity is the proof, or the reason why there is none.
	Verified bool        `json:"verified"`
	Identity engine.Text `json:"identity"`
	Says     engine.Text `json:"says"`
	At       time.Time   `json:"at"`
}

type evidenceDocument struct {
	Object engine.Text `json:"object"`
	Field  engine.Text `json:"field"`
	Value  engine.Text `json:"value"`
	Since  time.Time   `json:"since,omitzero"`
}

type clusterDocument struct {
	Name    engine.Text `json:"name"`
	Stage   engine.Text `json:"stage"`
	State   string      `json:"state"`
	Started time.Time   `json:"startedAt,omitzero"`
	Why     engine.Text `json:"why,omitzero"`
	TakenBy engine.Text `json:"takenBy,omitzero"`
	// OtherRollout says what the cluster's binding reports while its conditions are
	// those of another run's rollout; absent once they are this run's.
	OtherRollout engine.Text `json:"otherRollout,omitzero"`
	diagnosisDocument
}

type otherDocument struct {
	Name  engine.Text `json:"name"`
	State string      `json:"state"`
	Index engine.Text `json:"snapshotIndex,omitzero"`
}

type overrideDocument struct {
	Namespace engine.Text `json:"namespace,omitzero"`
	Name      engine.Text `json:"name"`
	Used      engine.Text `json:"used"`
	// Latest is absent when the override was deleted.
	Latest engine.Text `json:"latest,omitzero"`
	Says   engine.Text `json:"says"`
}

type workDocument struct {
	Name       engine.Text   `json:"name"`
	Deleted    time.Time     `json:"deletedAt,omitzero"`
	Finalizers []engine.Text `json:"finalizers,omitempty"`
	// Foreign are the finalizers that are not Fleet's.
	Foreign []engine.Text `json:"foreignFinalizers,omitempty"`
	Objects []engine.Text `json:"objects,omitempty"`
	Says    engine.Text   `json:"says"`
}

type gapDocument struct {
	What engine.Text `json:"what"`
	Why  engine.Text `json:"why"`
}

func diagnosisDocumentOf(d *engine.Diagnosis) diagnosisDocument {
	out := diagnosisDocument{Steps: d.Steps, Commands: d.Commands}
	if !d.What.IsZero() {
		out.Cause, out.CanHeal = d.Cause.String(), d.CanHeal.String()
	}
	for _, h := range d.Path {
		out.Path = append(out.Path, hopDocument{Level: h.Level, Name: h.Name, State: h.State, Since: utc(h.Since)})
	}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		out.Evidence = append(out.Evidence, evidenceDocument{Object: e.Object, Field: e.Field, Value: e.Value, Since: utc(e.Since)})
	}
	if r := &d.Read; !r.Says.IsZero() {
		out.MemberRead = &memberReadDocument{
			Member: r.Member, Context: r.Context, Verified: r.Identity.Verdict == engine.Verified, Identity: r.Identity.Why, Says: r.Says, At: r.At.UTC(),
		}
	}
	for _, c := range d.Also {
		out.Also = append(out.Also, c.String())
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
						Name: c.Name, Stage: e.Run.Stages[i].Name, State: column.Script(c.State.String()), Started: utc(c.Started),
						Why: c.Why, TakenBy: c.TakenBy.Title(), OtherRollout: c.Foreign, diagnosisDocument: diagnosisDocumentOf(&c.Diagnosis),
					})
				}
			}
		}
	}
	if !e.Plan.Finished {
		for i := range e.Plan.Refusals {
			d.Refusals = append(d.Refusals, e.Plan.Refusals[i].Message)
		}
	}
	f := e.Facts()
	if f.Hub != nil {
		for _, o := range f.Hub.Overrides {
			d.Overrides = append(d.Overrides, overrideDocument{
				Namespace: engine.Clean(o.Namespace), Name: engine.Clean(o.Name()), Used: engine.Clean(o.Used), Latest: engine.Clean(o.Latest), Says: o.Says(),
			})
		}
		held := f.Hub.Held()
		for i := range held {
			w := &held[i]
			d.Works = append(d.Works, workDocument{Name: w.Work, Deleted: utc(w.Since.Time), Finalizers: w.Finalizers, Foreign: w.Foreign, Objects: w.Objects, Says: w.Says()})
		}
	}
	for _, o := range f.Rivals() {
		d.OtherRuns = append(d.OtherRuns, otherDocument{Name: o.ID.Title(), State: column.Script(o.Word.String()), Index: o.Index})
	}
	for _, g := range f.Gaps() {
		d.Unknown = append(d.Unknown, gapDocument{What: g.What, Why: g.Why})
	}
	return d
}

// utc keeps a time that is not known as one that is not known.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}

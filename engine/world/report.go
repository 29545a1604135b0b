package world

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// reportExpiry is the age from which a report no longer explains anything.
const reportExpiry = 5 * time.Minute

// MemberReport is what the API server of a member returned about the workloads
// of one run's placement. It is never changed.
type MemberReport struct {
	Run engine.ID
	// Member is the member's name, Context the kubeconfig context; both raw.
	Member, Context string
	Identity        engine.Identity
	// Why is why no workload was read.
	Why engine.Text
	// Forgotten is set when a person no longer wants the context to be used for the
	// member: it takes back the reports of all runs that came through it.
	Forgotten bool
	Workloads []MemberWorkload
	// Owned are the objects whose owner keeps them from being applied.
	Owned []MemberObject
	At    time.Time // hub time
}

// ReportKey names the report of one member about one run.
type ReportKey struct {
	Run    engine.ID
	Member string
}

// Report takes in a report and returns the runs that it is about. One that says why
// nothing was read does not replace one that still explains something; expired ones are
// removed.
func (w *World) Report(r *MemberReport) []engine.ID {
	var about []engine.ID
	for k, old := range w.Reports {
		switch {
		case old.expired(r.At):
			delete(w.Reports, k)
		case r.Forgotten && k.Member == r.Member && old.Context == r.Context:
			delete(w.Reports, k)
			about = append(about, k.Run)
		}
	}
	if r.Forgotten {
		return about
	}
	about = append(about, r.Run)
	key := ReportKey{r.Run, r.Member}
	if old := w.Reports[key]; old != nil && !r.Why.IsZero() && old.Why.IsZero() && r.Identity.Verdict != engine.Mismatch {
		return about
	}
	w.Reports[key] = r
	return about
}

func (r *MemberReport) expired(now time.Time) bool { return !now.Before(r.At.Add(reportExpiry)) }

// Read is the source of the report, for a Diagnosis.
func (r *MemberReport) Read() engine.MemberRead {
	return engine.MemberRead{Member: engine.Clean(r.Member), Context: engine.Clean(r.Context), Identity: r.Identity, Why: r.Why, At: r.At}
}

// MemberObject is who owns an object of a member, and who has written its fields.
type MemberObject struct {
	Group, Version, Kind, Namespace, Name string
	// Owners are all but AppliedWorks, which are those of Fleet's agent.
	Owners, AppliedWorks, Managers []string
	// Missing is set when the member has no such object, NoKind when it does not
	// serve the kind.
	Missing, NoKind bool
	// Why is why the object was not read.
	Why engine.Text
}

// Object returns the object of the report, nil when it was not read.
func (r *MemberReport) Object(kind, namespace, name string) *MemberObject {
	for i := range r.Owned {
		if o := &r.Owned[i]; o.Kind == kind && o.Namespace == namespace && o.Name == name {
			return o
		}
	}
	return nil
}

// Workload returns the workload of the report, nil when it was not read.
func (r *MemberReport) Workload(kind, namespace, name string) *MemberWorkload {
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Kind == kind && w.Namespace == namespace && w.Name == name {
			return w
		}
	}
	return nil
}

// Report returns what a member returned about the run, nil when there is nothing
// or it has expired.
func (c *Case) Report(member string) *MemberReport {
	c.used.member = true
	if c.World == nil {
		return nil
	}
	r := c.World.Reports[ReportKey{c.View.ID, member}]
	if r == nil || r.expired(c.Now) {
		return nil
	}
	c.LookAgain(r.At.Add(reportExpiry))
	return r
}

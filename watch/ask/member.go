package ask

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/ask/member"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

const (
	// memberDeadline bounds all that is asked of one member for one page.
	memberDeadline = 4 * time.Second
	// memberWorkloads is how many workloads of a placement a page shows.
	memberWorkloads = 4
)

// member reads the workloads of a placement from the member. What it returned
// goes to the feed, too, for the diagnosis of the run. It is automatic when no
// person asked.
func (p *pages) member(ctx context.Context, q page.MemberQuestion, automatic bool) (page.Answer, error) {
	f := workload.Facts{Question: q, Now: p.now()}
	contexts := p.Members
	_, name, _ := q.Member.Raw()
	var found member.Context
	switch {
	case contexts == nil:
		f.ContextWhy = engine.Lit("no kubeconfig")
	case automatic && !p.QueryMembers:
		f.ContextWhy = engine.Lit("automatic member queries are off; --member-queries=auto, or m on the screen, reads them")
	default:
		found, f.ContextWhy = contexts.Find(name, q.Context)
	}
	if automatic && found.Config == nil {
		p.report(&f)
		return page.Answer{At: f.Now}, nil
	}
	left := memberDeadline
	c := p.reach(ctx, found, automatic, &f, &left)
	if c != nil {
		defer func() {
			if c.Unauthorized() {
				p.logins.Reject(found.Name, c)
			}
			c.Close()
		}()
	}
	if automatic && c == nil { // the hub is not read for nothing
		p.report(&f)
		return page.Answer{At: f.Now}, nil
	}
	wanted := p.wantedWorkloads(ctx, name, &f)
	if c != nil {
		limited, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		var owners task.Reads
		owners.Go(func() { c.Owners(limited, &f) })
		c.Workloads(limited, wanted, &f)
		owners.Wait()
	} else {
		f.Owned = nil // not read
	}
	if found.Config == nil || !f.Why.IsZero() || f.Identity.Verdict == engine.Mismatch {
		if contexts != nil {
			f.Choices = contexts.Names(name)
		}
		f.Commands = memberCommands(q.Member, wanted)
	} else if !q.Context.IsZero() {
		// Only what worked is remembered.
		if err := contexts.Remember(name, found.Name); err != nil {
			f.Remembered = engine.Clean(err.Error())
		}
	}
	failed := c != nil && c.Unauthorized()
	if failed && !f.Why.IsZero() {
		f.Why = engine.Textf("%s; to log in again, go back and query the member ({member})", f.Why)
	}
	p.report(&f)
	a := workload.Page(f)
	a.LoginFailed = failed
	return a, nil
}

// pod reads the containers of a pod from the member; with a log, the log of one, too: with read
// in place of its end. Without a name it is the pod that the trouble of a workload is about.
func (p *pages) pod(ctx context.Context, q page.PodQuestion, log *page.PodLogQuestion, read func(*member.Client, *workload.LogFacts)) (page.Answer, error) {
	within, cancel := context.WithTimeout(ctx, client.Deadline)
	defer cancel()
	f := workload.LogFacts{PodFacts: workload.PodFacts{Facts: workload.Facts{Question: q.On, Now: p.now()}, Of: q, Hub: p.Named}}
	var found member.Context
	if f.ContextWhy = engine.Lit("no kubeconfig"); p.Members != nil && (p.QueryMembers || !q.Unattended) {
		_, name, _ := q.On.Member.Raw()
		found, f.ContextWhy = p.Members.Find(name, q.On.Context)
	}
	left := memberDeadline
	failed := false
	if c := p.reach(within, found, q.Unattended, &f.Facts, &left); c != nil {
		defer c.Close()
		namespaces := []string{q.Namespace.String()}
		var wanted []world.MemberWorkload
		if q.Namespace.IsZero() { // read from the hub, which takes nothing from the time of the member
			_, name, _ := q.On.Member.Raw()
			namespaces = nil
			wanted = p.wantedWorkloads(within, name, &f.Facts)
			for _, w := range wanted {
				if !slices.Contains(namespaces, w.Namespace) {
					namespaces = append(namespaces, w.Namespace)
				}
			}
			if len(wanted) == 0 && !f.BindingWhy.IsZero() {
				f.Why, f.NotMember = f.NoPod(), true
			}
		}
		limited, cancel := context.WithTimeout(within, left)
		defer cancel()
		if q.Namespace.IsZero() && q.Pod.IsZero() && f.Why.IsZero() {
			c.Workloads(limited, wanted, &f.Facts)
			if namespaces, f.Of.Pod = f.InTrouble(); f.Of.Pod.IsZero() && f.Why.IsZero() {
				f.Why, f.NotMember = f.NoPod(), true
			}
		}
		if f.Why.IsZero() {
			f.Container = c.Pod(limited, namespaces, &f.PodFacts)
		}
		if log != nil && f.Why.IsZero() {
			f.Log = *log
			f.Log.Of = f.Of
			if !log.Container.IsZero() {
				f.Container = log.Container.String()
			}
			if read == nil {
				c.PodLog(limited, &f)
			} else {
				read(c, &f)
			}
		}
		if failed = c.Unauthorized(); failed {
			p.logins.Reject(found.Name, c)
		}
	}
	a := page.Answer{}
	if log != nil {
		a = workload.LogPage(&f)
	} else {
		a = workload.PodPage(&f.PodFacts)
	}
	a.LoginFailed = failed
	return a, nil
}

// forgetContext removes the context that is remembered for a member, and what was
// learnt through it.
func (s *Asker) forgetContext(of engine.ID) page.Answer {
	a := page.Answer{At: s.Hub.Now(), Lines: []engine.Text{engine.Textf("No context is remembered for %s.", of.Name())}}
	if s.Members == nil {
		return a
	}
	_, name, _ := of.Raw()
	switch context, err := s.Members.Forget(name); {
	case err != nil:
		return page.Answer{Err: engine.Clean(err.Error())}
	case context != "":
		a.Lines = []engine.Text{engine.Textf("Forgot context %s, which was chosen for %s.", engine.Clean(context), of.Name())}
		s.Report(&world.MemberReport{Member: name, Context: context, Forgotten: true, At: a.At})
	}
	return a
}

// report hands what a member returned to the feed.
func (s *Asker) report(f *workload.Facts) {
	if r := f.Report(); r != nil {
		s.Report(r)
	}
}

// reach makes the client of a member and reads the proof that the context leads
// to it, which takes from the time left. It returns nil when no workload is to be
// read: the context leads elsewhere; or the query is automatic and the context
// is neither configured nor verified, or its login needs a person or fails.
func (p *pages) reach(ctx context.Context, found member.Context, automatic bool, f *workload.Facts, left *time.Duration) *member.Client {
	if found.Config == nil {
		return nil
	}
	f.Context = found.Name
	if automatic {
		if found.Config, f.Why = p.logins.Config(ctx, found); found.Config == nil {
			return nil
		}
	}
	c, err := member.Connect(found.Config)
	if err != nil {
		f.Why = engine.Clean(err.Error())
		return nil
	}
	began := time.Now()
	f.Identity = p.identities.Of(ctx, c, found.Name, member.Claim{Member: f.Question.Member, Hub: p.Hub.Server(), Works: p.workNames})
	*left -= time.Since(began)
	switch {
	case f.Identity.Verdict == engine.Mismatch:
	case automatic && !found.Agreed && f.Identity.Verdict != engine.Verified:
		f.Why = engine.Textf("context %s is not verified: %s", f.Context, f.Identity.Why)
	default:
		return c
	}
	if c.Unauthorized() {
		p.logins.Reject(found.Name, c)
	}
	c.Close()
	return nil
}

// memberCommands are for whoever has a context that leads to the member.
func memberCommands(of engine.ID, wanted []world.MemberWorkload) []engine.Text {
	var out []engine.Text
	hub := engine.Hub{Context: engine.Textf("<context of %s>", of.Name())}
	for _, w := range wanted {
		out = append(out,
			shell.Kubectl(hub, w.Namespace, "describe", world.WorkloadResource(w.Kind)+".apps", w.Name),
			shell.Kubectl(hub, w.Namespace, "get", "pods", "-o", "wide"),
			shell.Kubectl(hub, w.Namespace, "get", "events", "--sort-by=.lastTimestamp"))
	}
	return out
}

// wantedWorkloads lists the workloads that the placement brings to the cluster,
// the failing ones first.
func (p *pages) wantedWorkloads(ctx context.Context, cluster string, f *workload.Facts) []world.MemberWorkload {
	var out []world.MemberWorkload
	add := func(kind, namespace, name string) {
		w := world.MemberWorkload{Kind: kind, Namespace: namespace, Name: name}
		same := func(o world.MemberWorkload) bool {
			return o.Kind == kind && o.Namespace == namespace && o.Name == name
		}
		if world.WorkloadResource(kind) != "" && len(out) < memberWorkloads && !slices.ContainsFunc(out, same) {
			out = append(out, w)
		}
	}
	bindings, _, err := p.bindings(ctx, f.Question.Placement)
	f.BindingWhy = p.why(err)
	for i := range bindings {
		b := &bindings[i]
		if b.Spec.TargetCluster != cluster || b.DeletionTimestamp != nil {
			continue
		}
		for j := range b.Status.FailedPlacements {
			m := &b.Status.FailedPlacements[j]
			f.Failing = append(f.Failing, engine.ManifestView{
				What: engine.ManifestName(m), Cond: engine.Clean(m.Condition.Type), Reason: engine.Clean(m.Condition.Reason),
			})
			add(m.Kind, m.Namespace, m.Name)
			if member.OwnedReasons[m.Condition.Reason] && len(f.Owned) < member.OwnedLimit {
				f.Owned = append(f.Owned, world.MemberObject{Group: m.Group, Version: m.Version, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name})
			}
		}
		works, err := p.works(ctx, f.Question.Placement, b, cluster)
		if err != nil && f.BindingWhy.IsZero() {
			f.BindingWhy = p.why(err)
		}
		for k := range works {
			for _, m := range works[k].Spec.Workload.Manifests {
				var o metav1.PartialObjectMetadata
				if err := json.Unmarshal(m.Raw, &o); err == nil {
					add(o.Kind, o.Namespace, o.Name)
				}
			}
		}
	}
	return out
}

// workNames lists the names of the Works in a member's namespace on the hub.
func (p *pages) workNames(ctx context.Context, cluster string) ([]string, engine.Text) {
	raw, err := p.Hub.Do(ctx, p.Hub.At(http.MethodGet, engine.KindWork, placement.MemberNamespace(cluster), "").
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"))
	if err != nil {
		return nil, p.why(err)
	}
	var works metav1.PartialObjectMetadataList
	if err := json.Unmarshal(raw, &works); err != nil {
		return nil, engine.Clean(err.Error())
	}
	names := make([]string, len(works.Items))
	for i := range works.Items {
		names[i] = works.Items[i].Name
	}
	return names, engine.Text{}
}

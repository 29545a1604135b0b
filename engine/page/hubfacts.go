package page

import (
	"encoding/json"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// HubFacts is what is read from the hub for one diagnosis, since no stream has it.
type HubFacts struct {
	// Works are those of the cluster that a deletion waits for.
	Works []placement.Work
	// Overrides are those of the cluster's binding.
	Overrides []world.OverrideUse
	// Why is why they could not be read.
	Why engine.Text
}

// WorkHeld is a Work that a deletion waits for.
type WorkHeld struct {
	Work    engine.Text
	Since   metav1.Time // of its deletion; zero when it is not deleted
	Objects []engine.Text
	// Finalizers are all that it has, Foreign those that are not Fleet's.
	Finalizers, Foreign []engine.Text
}

// Says is why the Work remains.
func (w *WorkHeld) Says() engine.Text {
	switch {
	case len(w.Foreign) > 0:
		return engine.Textf("finalizer %s is not Fleet's: the controller that set it has to remove it", engine.Enumerate(w.Foreign, 3))
	case w.Since.IsZero():
		return engine.Lit("it has no deletionTimestamp: the hub agent has not deleted it")
	case len(w.Finalizers) > 0:
		return engine.Textf("finalizer %s: the member's agent removes it after the objects", engine.Enumerate(w.Finalizers, 3))
	}
	return engine.Lit("it has no finalizer: it disappears next")
}

// worksHeld and objectsShown bound what is named of a deletion.
const (
	worksHeld    = 10
	objectsShown = 4
)

// Held returns the Works that remain, those with finalizers of other controllers
// first.
func (h *HubFacts) Held() []WorkHeld {
	if h == nil {
		return nil
	}
	out := make([]WorkHeld, 0, len(h.Works))
	for i := range h.Works {
		w := &h.Works[i]
		held := WorkHeld{Work: engine.Textf("%s/%s", engine.Clean(w.Namespace), engine.Clean(w.Name))}
		if w.DeletionTimestamp != nil {
			held.Since = *w.DeletionTimestamp
		}
		held.Finalizers, held.Foreign = engine.CleanAll(w.Finalizers), engine.CleanAll(placement.ForeignFinalizers(w.Finalizers))
		for j := range w.Spec.Workload.Manifests {
			var o metav1.PartialObjectMetadata
			if err := json.Unmarshal(w.Spec.Workload.Manifests[j].Raw, &o); err == nil && o.Name != "" {
				held.Objects = append(held.Objects, manifestTitle(&o))
			}
		}
		out = append(out, held)
	}
	sort.SliceStable(out, func(i, j int) bool { return min(1, len(out[j].Foreign))-min(1, len(out[i].Foreign)) < 0 })
	return out[:min(len(out), worksHeld)]
}

func manifestTitle(o *metav1.PartialObjectMetadata) engine.Text {
	if o.Namespace == "" {
		return engine.Textf("%s %s", engine.Clean(o.Kind), engine.Clean(o.Name))
	}
	return engine.Textf("%s %s/%s", engine.Clean(o.Kind), engine.Clean(o.Namespace), engine.Clean(o.Name))
}

// overrideSection says which overrides changed after the run was initialized.
func (f *DiagnosisFacts) overrideSection() Section {
	s := Section{Title: engine.Lit("overrides"), Note: engine.Lit("of this cluster, compared with their latest snapshots")}
	if f.Hub == nil {
		return s
	}
	for _, o := range f.Hub.Overrides {
		role := engine.RoleText
		if o.Latest != o.Used {
			role = engine.RoleWait
		}
		s.Rows = append(s.Rows, TextRow(role, o.Says()))
	}
	return s
}

// workSection names the Works that a deletion waits for, with their finalizers and
// objects.
func (f *DiagnosisFacts) workSection() Section {
	s := Section{Title: engine.Lit("works that remain"), Note: engine.Lit("the deletion waits for them")}
	held := f.Hub.Held()
	for i := range held {
		w := &held[i]
		role := engine.RoleText
		if len(w.Foreign) > 0 {
			role = engine.RoleBad
		}
		r := Row{Key: engine.Textf("work %s", w.Work), Cells: []Cell{
			TextCell(engine.RoleName, engine.Textf("Work %s", w.Work)), {Role: engine.RoleSub, Since: w.Since.Time}, TextCell(role, w.Says()),
		}}
		if len(w.Objects) > 0 {
			r.Note = engine.Textf("objects: %s", engine.Enumerate(w.Objects, objectsShown))
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

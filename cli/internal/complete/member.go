package complete

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch"
)

// Pods offers the pods of the RUN on the MEMBER in the arguments, those that are not ready first.
// The member is read as without a person: through a context that is configured or verified, if
// its login asks nobody.
func Pods(o *job.Options) cobra.CompletionFunc {
	return onMember(o, func(of page.PodsQuestion, _ []string) page.Question { return of }, func(r *page.Row) string {
		q, ok := r.Page.(page.PodQuestion)
		if !ok || len(r.Cells) < 2 {
			return ""
		}
		return q.Pod.String() + "\t" + r.Cells[1].Text.String()
	})
}

// Containers offers the containers of the POD in the arguments, as Pods does.
func Containers(o *job.Options) cobra.CompletionFunc {
	return onMember(o, func(of page.PodsQuestion, args []string) page.Question {
		if len(args) < 3 {
			return nil
		}
		q := page.PodQuestion{On: page.MemberQuestion{Placement: of.Placement, Member: of.Member, Run: of.Run}, Unattended: true}
		namespace, pod, ok := strings.Cut(args[2], "/")
		if !ok {
			namespace, pod = of.Run.RawNamespace(), args[2]
		}
		q.Namespace, q.Pod = engine.Clean(namespace), engine.Clean(pod)
		return q
	}, func(r *page.Row) string {
		q, ok := r.Page.(page.PodLogQuestion)
		if !ok || q.Previous || len(r.Cells) < 2 {
			return ""
		}
		return q.Container.String() + "\t" + r.Cells[1].Text.String()
	})
}

// onMember offers what the rows of a page name that is read from the MEMBER in the arguments; a
// nil question reads nothing.
func onMember(o *job.Options, question func(page.PodsQuestion, []string) page.Question, name func(*page.Row) string) cobra.CompletionFunc {
	return readEach(o, func(ctx context.Context, j *job.Job, args []string, _ string) (names []string, err error) {
		if len(args) < 2 {
			return nil, errEnough
		}
		if err := j.Parse(args); err != nil {
			return nil, err
		}
		_, a, err := watch.Page(ctx, j.WatchConfig(), watch.Reading{}, func(s *engine.Snapshot) (*engine.RunView, error) { return j.Find(s, io.Discard) },
			func(v *engine.RunView, d *engine.Detail) (page.Question, error) {
				for _, stage := range d.Clusters {
					for i := range stage {
						if stage[i].Member.RawName() != args[1] {
							continue
						}
						if q := question(page.PodsQuestion{Placement: v.Placement, Member: stage[i].Member, Run: v.ID}, args); q != nil {
							return q, nil
						}
					}
				}
				return nil, errEnough
			})
		for i := range a.Sections {
			for r := range a.Sections[i].Rows {
				if n := name(&a.Sections[i].Rows[r]); n != "" {
					names = append(names, n)
				}
			}
		}
		return names, err
	})
}

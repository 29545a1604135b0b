package ask

import (
	"cmp"
	"context"
	"sync"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/watch/ask/member"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// LogOutput takes a log while it is read.
type LogOutput struct {
	// Of is called with what each log is of, before its first line.
	Of func(engine.Text)
	// Line is called with each line, one at a time.
	Line func(engine.Text)
}

// line hands a line of a log on, as the page of the log has it.
func (o *LogOutput) line(s string) { o.Line(workload.LogText(s)) }

// Stream reads a log line by line: that of the container of a pod, of the pod of a member that the
// trouble of a run is about, or the lines of the hub's controller about a run. It returns when the
// log or ctx ends; Unread of the answer says why there is no log.
func (s *Asker) Stream(ctx context.Context, q page.Question, r client.LogRange, out LogOutput) page.Answer {
	p := &pages{Asker: s, seen: s.Seen()}
	var a page.Answer
	var err error
	switch q := q.(type) {
	case page.LogsQuestion:
		a, err = p.streamController(ctx, q, r, out)
	case page.MemberQuestion:
		a, err = p.streamPod(ctx, &page.PodLogQuestion{Of: page.PodQuestion{On: q}}, r, out)
	case page.PodLogQuestion:
		a, err = p.streamPod(ctx, &q, r, out)
	}
	if err != nil {
		a = unstreamed(s.Hub, err)
	}
	a.Question = q
	return a
}

// unstreamed is the answer for a log that was not read, or not to its end.
func unstreamed(c *client.Client, err error) page.Answer {
	f := c.Failure(err)
	if client.IsAnswer(f.Kind) && f.Kind != client.Forbidden {
		return page.Answer{Unread: f.Err} // there is none
	}
	return page.Answer{Err: f.Err, Hint: f.Hint, Fault: faultOf(f.Kind)}
}

// streamPod reads the log of a container on a member.
func (p *pages) streamPod(ctx context.Context, q *page.PodLogQuestion, r client.LogRange, out LogOutput) (page.Answer, error) {
	var streamed page.Answer
	a, err := p.pod(ctx, q.Of, q, func(c *member.Client, f *workload.LogFacts) {
		out.Of(workload.LogOf(f))
		if failed := c.Lines(ctx, f, r, out.line); failed != nil {
			streamed = unstreamed(c.Client, failed)
		}
	})
	if err == nil && a.Unread.IsZero() {
		a = streamed
	}
	return a, err
}

// streamController reads what the pods of the hub's controller log about a run, all at once.
func (p *pages) streamController(ctx context.Context, q page.LogsQuestion, r client.LogRange, out LogOutput) (a page.Answer, err error) {
	limited, cancel := context.WithTimeout(ctx, client.Deadline)
	defer cancel()
	pods, why := p.controllerPods(limited)
	if !why.IsZero() {
		return page.Answer{Unread: why}, nil
	}
	var reads task.Reads
	var one sync.Mutex // for out and err
	for _, pod := range pods {
		reads.Go(func() {
			one.Lock()
			out.Of(engine.Textf("pod %s, the lines about %s", engine.Clean(pod), q.Run.Title()))
			one.Unlock()
			failed := p.linesAbout(ctx, q.Run, pod, r, func(s string) {
				one.Lock()
				out.line(s)
				one.Unlock()
			})
			one.Lock()
			defer one.Unlock()
			err = cmp.Or(err, failed)
		})
	}
	reads.Wait()
	return a, err
}

// linesAbout reads the lines of a pod of the controller about a run. The API server counts the lines
// about other runs for r.Tail, too: all existing lines are read, and to follow the log they are read
// again and skipped. The start of r.Since moves between the two reads: with r.Follow and r.Since,
// r.Tail has no effect.
func (p *pages) linesAbout(ctx context.Context, run engine.ID, pod string, r client.LogRange, line func(string)) error {
	there := 0
	read := func(r client.LogRange, line func(string)) error {
		return p.Hub.Log(ctx, member.AgentNamespace, pod, map[string]string{"container": agentContainer}, r, func(s string) {
			if there--; there < 0 && page.AboutRun(s, run) {
				line(s)
			}
		})
	}
	if r.Tail > 0 && (!r.Follow || r.Since == 0) {
		var last []string
		if err := read(client.LogRange{Tail: -1, Since: r.Since}, func(s string) {
			last = append(last[max(0, len(last)+1-r.Tail):], s)
		}); err != nil {
			return err
		}
		for _, s := range last {
			line(s)
		}
		if there = -there; !r.Follow {
			return nil
		}
	}
	if r.Tail > 0 {
		r.Tail = -1
	}
	return read(r, line)
}

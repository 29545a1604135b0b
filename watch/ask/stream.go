package ask

import (
	"cmp"
	"context"
	"sync"
	"time"

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
// about other runs for r.Tail, too: all existing lines are read, and to follow the log those from the
// second of the last one on, of which those that were read are skipped.
func (p *pages) linesAbout(ctx context.Context, run engine.ID, pod string, r client.LogRange, line func(string)) error {
	read := func(r client.LogRange, line func(string)) error {
		return p.Hub.Log(ctx, member.AgentNamespace, pod, map[string]string{"container": agentContainer}, r, line)
	}
	about := func(s string) {
		if page.AboutRun(s, run) {
			line(s)
		}
	}
	if r.Tail <= 0 {
		return read(r, about)
	}
	var last []string
	var from time.Time // the second of the last line
	there := 0         // lines of that second; all, where the API server gives no times
	err := read(client.LogRange{Tail: -1, Since: r.Since, Stamped: r.Follow}, func(s string) {
		if r.Follow {
			var at time.Time
			at, s = client.CutStamp(s)
			switch at = at.Truncate(time.Second); {
			case at.After(from):
				from, there = at, 1
			case at.Equal(from):
				there++
			}
		}
		if page.AboutRun(s, run) {
			last = append(last[max(0, len(last)+1-r.Tail):], s)
		}
	})
	if err != nil {
		return err
	}
	for _, s := range last {
		line(s)
	}
	if !r.Follow {
		return nil
	}
	again := client.LogRange{Follow: true, Tail: -1, From: from, Stamped: !from.IsZero()}
	if from.IsZero() {
		again.Since = r.Since
	}
	return read(again, func(s string) {
		if there--; there >= 0 {
			return
		}
		if again.Stamped {
			_, s = client.CutStamp(s)
		}
		about(s)
	})
}

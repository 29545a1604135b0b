package workload

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// PodFacts are what a member returned about one of its pods. Facts has how the member was
// reached, and no workloads.
type PodFacts struct {
	Facts
	Of page.PodQuestion
	// Hub has the kubeconfig and the flags of the hub, for commands on the member.
	Hub         engine.Hub
	Phase, Node string
	Containers  []Container
}

// Container is a container of a pod: an init container with Init.
type Container struct {
	Name, Image string
	Init, Ready bool
	Restarts    int
	// State is what it does now, since Since; Message is why.
	State, Message string
	Since          time.Time
	// Ended is why the one before it ended, with the exit code, at EndedAt; empty if none did.
	Ended   string
	EndedAt time.Time
}

// LogFacts are the end of the log of a container.
type LogFacts struct {
	PodFacts
	Log page.PodLogQuestion
	// Container is the one that was read.
	Container string
	Lines     []string
	// LogWhy is why there is no log.
	LogWhy engine.Text
}

// LogLines is how many lines of a log are read.
const LogLines = 1000

// PodPage shows the containers of a pod, each with its log, and the commands that this program does
// not run.
func PodPage(f *PodFacts) page.Answer {
	a := page.Answer{At: f.Now, Unread: f.unread(), Sections: []page.Section{f.podSection()}}
	if !a.Unread.IsZero() {
		a.Sections = []page.Section{f.headSection()}
		return a
	}
	for _, s := range []page.Section{f.containerSection(), f.commandSection()} {
		if f.Identity.Verdict != engine.Verified && !s.Commands {
			markUnverified(&s)
		}
		a.Sections = append(a.Sections, s)
	}
	return a
}

func (f *PodFacts) podSection() page.Section {
	s := page.Section{Title: engine.Lit("pod"), Name: engine.Textf("%s/%s", f.Of.Namespace, f.Of.Pod), Note: engine.Textf("on member %s; read only", f.Question.Member.Name())}
	s.Rows = []page.Row{page.LabelRow(engine.Lit("state"), page.CleanCell(engine.RoleText, f.Phase))}
	if f.Node != "" {
		s.Rows = append(s.Rows, page.LabelRow(engine.Lit("node"), page.CleanCell(engine.RoleText, f.Node)))
	}
	s.Rows = append(s.Rows, page.LabelRow(engine.Lit("context"), page.CleanCell(engine.RoleName, f.Context)), f.identityRow())
	return s
}

// containerSection lists the containers, and below each the one before it, if that has ended.
func (f *PodFacts) containerSection() page.Section {
	s := page.Section{
		Title: engine.Lit("containers"), Note: engine.Lit("the log of one: {logs}").WithCommand("logs", "stagewatch logs RUN MEMBER POD -c CONTAINER"),
		Head: []engine.Text{engine.Lit("CONTAINER"), engine.Lit("STATE"), engine.Lit("READY"), engine.Lit("RESTARTS"), engine.Lit("SINCE")},
	}
	for i := range f.Containers {
		c := &f.Containers[i]
		log := page.PodLogQuestion{Of: f.Of, Container: engine.Clean(c.Name)}
		name, ready := engine.Clean(c.Name), engine.Lit("yes")
		if c.Init {
			name = engine.Textf("%s (init)", name)
		}
		state := page.Cell{Mark: page.MarkYes, Role: engine.RoleText, Text: engine.Clean(c.State)}
		if !c.Ready {
			state.Mark, state.Role, ready = page.MarkNo, engine.RoleBad, engine.Lit("no")
		}
		s.Rows = append(s.Rows, page.Row{
			Key: engine.Textf("container %s", c.Name), Page: log, Note: c.note(),
			Cells: []page.Cell{page.TextCell(engine.RoleName, name), state, page.TextCell(engine.RoleText, ready), page.TextCell(engine.RoleText, page.NumberText(c.Restarts)), {Role: engine.RoleSub, Since: c.Since}},
		})
		if c.Ended == "" {
			continue
		}
		log.Previous = true
		s.Rows = append(s.Rows, page.Row{
			Key: engine.Textf("previous %s", c.Name), Page: log,
			Cells: []page.Cell{page.TextCell(engine.RoleSub, engine.Lit("  previous")), page.CleanCell(engine.RoleWait, c.Ended), {}, {}, {Role: engine.RoleSub, Since: c.EndedAt}},
		})
	}
	if len(s.Rows) == 0 {
		s.Head, s.Rows = nil, []page.Row{page.TextRow(engine.RoleWait, engine.Lit("No container is reported yet."))}
	}
	return s
}

// note is the image of the container, and why it is in its state.
func (c *Container) note() engine.Text {
	if c.Message == "" {
		return engine.Textf("image %s", engine.Clean(c.Image))
	}
	return engine.Textf("image %s: %s", engine.Clean(c.Image), engine.Message(c.Message))
}

// commandSection has the commands for what stagewatch does not do on a member.
func (f *PodFacts) commandSection() page.Section {
	s := page.Section{Title: engine.Lit("commands"), Note: engine.Lit("to copy: a shell, the log followed, the pod in full"), Commands: true}
	hub := engine.Hub{Context: engine.Clean(f.Context), Kubeconfig: f.Hub.Kubeconfig}
	pod, container := f.Of.Pod.String(), ""
	for i := range f.Containers {
		if c := &f.Containers[i]; !c.Init && (container == "" || !c.Ready) {
			container = c.Name
		}
	}
	add := func(args ...string) {
		c := shell.Kubectl(hub, f.Of.Namespace.String(), args...)
		s.Rows = append(s.Rows, page.Row{Key: engine.Textf("command %d", len(s.Rows)), Cells: []page.Cell{page.TextCell(engine.RoleFaint, page.NumberText(len(s.Rows)+1)), page.TextCell(engine.RoleText, c)}, Copy: c})
	}
	for i := range f.Containers {
		if c := &f.Containers[i]; !c.Init {
			add("exec", "--stdin", "--tty", pod, "-c", c.Name, "--", "sh")
		}
	}
	if container != "" {
		add("logs", "--follow", pod, "-c", container)
		add("debug", "--stdin", "--tty", pod, "--image=busybox", "--target="+container)
	}
	add("describe", "pod", pod)
	return s
}

// LogPage shows the end of the log of a container.
func LogPage(f *LogFacts) page.Answer {
	a := page.Answer{At: f.Now, Unread: f.unread()}
	if !a.Unread.IsZero() {
		a.Sections = []page.Section{f.headSection()}
		return a
	}
	of := f.containerText()
	s := page.Section{Log: f.LogWhy.IsZero(), Title: engine.Lit("log of"), Name: f.Of.Pod, Note: engine.Textf("%s on %s, the last %s", of, f.Question.Member.Name(), engine.Count(len(f.Lines), "line"))}
	if f.Identity.Verdict != engine.Verified {
		s.Name = engine.Textf("%s (%s)", s.Name, engine.NotVerified)
	}
	for i, l := range f.Lines {
		s.Rows = append(s.Rows, page.Row{Key: engine.Textf("line %d", i), Cells: []page.Cell{page.TextCell(logRole(l), LogText(l))}})
	}
	switch {
	case !f.LogWhy.IsZero():
		s.Note, s.Rows = of, []page.Row{page.TextRow(engine.RoleWait, f.LogWhy)}
		if p := f.before(); !f.Log.Previous && p != nil {
			s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Textf("The previous one ended: %s. The page of the pod lists its log.", engine.Clean(p.Ended))))
		}
	case len(s.Rows) == 0:
		s.Rows = []page.Row{page.TextRow(engine.RoleSub, engine.Lit("It is empty."))}
	}
	a.Sections = []page.Section{s}
	return a
}

// containerText names the container that was read.
func (f *LogFacts) containerText() engine.Text {
	of := engine.Textf("container %s", engine.Clean(f.Container))
	if f.Log.Previous {
		of = engine.Textf("%s, before its last restart", of)
	}
	return of
}

// LogOf says what a log is of, and whether the member was verified.
func LogOf(f *LogFacts) engine.Text {
	of := engine.Textf("pod %s/%s, %s on %s", f.Of.Namespace, f.Of.Pod, f.containerText(), f.Question.Member.Name())
	if f.Identity.Verdict != engine.Verified {
		of = engine.Textf("%s (%s)", of, engine.NotVerified)
	}
	return of
}

// LogText is a line of a log to show.
func LogText(line string) engine.Text { return engine.Clean(strings.ReplaceAll(line, "\t", "    ")) }

// InTrouble returns the pod that the trouble of a workload is about, else the first one whose log
// was read, and its namespace.
func (f *Facts) InTrouble() (namespaces []string, pod engine.Text) {
	for _, troubled := range []bool{true, false} {
		for i := range f.Workloads {
			if w := &f.Workloads[i]; w.LogOf != "" && (!troubled || w.Trouble() != nil) {
				return []string{w.Namespace}, engine.Clean(w.LogOf)
			}
		}
	}
	return nil, engine.Text{}
}

// NoPod says why no workload of the placement has a pod to read: one that was not read may have some.
func (f *Facts) NoPod() engine.Text {
	for i := range f.Workloads {
		if w := &f.Workloads[i]; !w.Why.IsZero() {
			return engine.Textf("%s %s/%s was not read: %s", engine.Clean(w.Kind), engine.Clean(w.Namespace), engine.Clean(w.Name), w.Why)
		}
	}
	if !f.BindingWhy.IsZero() {
		return engine.Textf("the bindings or Works of the placement were not read from the hub: %s", f.BindingWhy)
	}
	if len(f.Workloads) == 0 {
		return engine.Lit("no workloads found for the placement")
	}
	return engine.Lit("the workloads that were read have no pods")
}

// before is the container that was read if another one ended before it; else nil.
func (f *LogFacts) before() *Container {
	for i := range f.Containers {
		if c := &f.Containers[i]; c.Name == f.Container && c.Ended != "" {
			return c
		}
	}
	return nil
}

// logRole is the role of a line: one that reports an error or a warning in a usual form stands out.
func logRole(line string) engine.Role {
	low := strings.ToLower(line)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasPrefix(low, "panic:"), klog(line, 'E'), klog(line, 'F'),
		has("level=error", "level=fatal", `"level":"error"`, `"level":"fatal"`, `"severity":"error"`, " error ", "[error]", " fatal ", "[fatal]"):
		return engine.RoleBad
	case klog(line, 'W'), has("level=warn", `"level":"warn`, `"severity":"warn`, " warn ", "[warn]", " warning "):
		return engine.RoleWait
	}
	return engine.RoleText
}

// klog reports whether a line is one of klog of a severity: "E0102 …".
func klog(line string, severity byte) bool {
	return len(line) > 5 && line[0] == severity && line[5] == ' ' && strings.Trim(line[1:5], "0123456789") == ""
}

package page

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// LogsFacts is what the log of the hub's controller says about a run.
type LogsFacts struct {
	Question LogsQuestion
	Hub      engine.Hub
	// Why is the reason why no controller was found.
	Why  engine.Text
	Pods []LogOf
	Now  time.Time
}

// LogOf is the log of one of the controller's pods. With several replicas only
// the leader reconciles runs (docs/kubefleet.md#logs).
type LogOf struct {
	Pod string
	// Lines are those about the run, oldest first, of Read lines in all.
	Lines []string
	Read  int
	Why   engine.Text
}

// AboutRun reports whether a line of the controller's log is about the run: it
// has the key updateRun, with and without the slash that cluster runs sometimes
// have, or it is the framework's line about a failed pass
// (docs/kubefleet.md#logs).
func AboutRun(line string, run engine.ID) bool {
	full := run.RawName()
	if run.RawNamespace() != "" {
		full = run.RawNamespace() + "/" + run.RawName()
	}
	if strings.Contains(line, `updateRun="`+full+`"`) || run.RawNamespace() == "" && strings.Contains(line, `updateRun="/`+full+`"`) {
		return true
	}
	_, fields, failed := strings.Cut(line, "Reconciler error")
	if !failed {
		return false
	}
	fields = strings.ReplaceAll(fields, `": `, `":`)
	kind := `"` + run.Kind().String() + `":{`
	return strings.Contains(fields, kind) && strings.Contains(fields, `"name":"`+run.RawName()+`"`) &&
		(run.RawNamespace() == "" || strings.Contains(fields, `"namespace":"`+run.RawNamespace()+`"`))
}

// LogsPage returns what the hub's controller logged about a run, or why that
// cannot be read here and where to request it.
func LogsPage(f LogsFacts) Answer {
	a := Answer{Object: f.Question.Run, At: f.Now}
	for i := range f.Pods {
		a.Sections = append(a.Sections, f.Pods[i].section())
	}
	if !f.Why.IsZero() {
		a.Sections = append(a.Sections, Section{Title: engine.Lit("log of the hub's controller"), Rows: []Row{
			TextRow(engine.RoleWait, engine.Textf("not read: %s", f.Why)),
			TextRow(engine.RoleText, engine.Lit("A managed hub (Azure Kubernetes Fleet Manager) runs its controller outside the hub: it has no pods there. Its log is category fleet-hub-agent of the Fleet resource in Azure Monitor; its owner can search it for this run's name.")),
			TextRow(engine.RoleText, engine.Lit("The conditions of the objects show the controller's decisions as well (d, t).")),
		}})
	}
	find := engine.Textf(`updateRun="/?%s"`, f.Question.Run.Title())
	kube := shell.Kubectl(f.Hub, "fleet-system", "logs", "-l", "app.kubernetes.io/name=hub-agent", "-c", "hub-agent", "--tail=-1")
	command := engine.Textf("%s | grep -E %s", kube, engine.Clean(shell.Quote(find.String())))
	a.Sections = append(a.Sections, Section{Title: engine.Lit("equivalent kubectl command"), Commands: true, Rows: []Row{
		{Key: engine.Lit("command"), Cells: []Cell{TextCell(engine.RoleFaint, NumberText(1)), TextCell(engine.RoleText, command)}, Copy: command},
	}})
	return a
}

func (l *LogOf) section() Section {
	s := Section{Log: true, Title: engine.Lit("log of"), Name: engine.Clean(l.Pod), Note: engine.Textf("%s about the run, of the last %d", engine.Count(len(l.Lines), "line"), l.Read)}
	if !l.Why.IsZero() {
		s.Log, s.Note, s.Rows = false, engine.Text{}, []Row{TextRow(engine.RoleWait, engine.Textf("not read: %s", l.Why))}
		return s
	}
	for i, line := range l.Lines {
		role := engine.RoleText
		if strings.HasPrefix(line, "E") || strings.Contains(line, "Reconciler error") {
			role = engine.RoleBad
		}
		clock, rest := logParts(line)
		s.Rows = append(s.Rows, Row{Key: engine.Textf("line %d", i), Cells: []Cell{CleanCell(role, clock), CleanCell(role, rest)}, Copy: engine.Clean(strings.ReplaceAll(line, "\t", " "))})
	}
	if len(s.Rows) == 0 {
		s.Rows = []Row{TextRow(engine.RoleSub, engine.Lit("no lines about this run. They need log verbosity 2 or more, and only the leader writes them."))}
	}
	return s
}

// logParts cuts a line of klog, "I0820 10:00:00.000000 1 file.go:1] …", and one of the
// controller's framework, whose fields stand between tabs, behind its time of day. A line
// of another form has no time.
func logParts(line string) (clock, rest string) {
	if stamp, fields, ok := strings.Cut(line, "\t"); ok {
		if at, err := time.Parse(time.RFC3339, stamp); err == nil {
			return at.UTC().Format(time.TimeOnly), strings.ReplaceAll(fields, "\t", " ")
		}
	}
	if head, rest, ok := strings.Cut(line, "] "); ok {
		if words := strings.Fields(head); len(words) >= 4 {
			clock, _, _ = strings.Cut(words[1], ".")
			return clock, rest
		}
	}
	return "", strings.ReplaceAll(line, "\t", " ")
}

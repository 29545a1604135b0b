package page_test

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

func TestAboutRun(t *testing.T) {
	web, pay := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u"), engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r1", "u")
	for _, tt := range []struct {
		name, line string
		run        engine.ID
		want       bool
	}{
		{"a cluster run", `I0820 10:00:00.000000       1 updaterun/controller.go:139] "Initialized the updateRun" state="Run" updateRun="web-r1"`, web, true},
		{"with a slash", `I0820 10:00:00.000000       1 updaterun/controller.go:90] "reconciliation starts" updateRun="/web-r1"`, web, true},
		{"one whose name begins alike", `I0820 10:00:00.000000 1 c.go:1] "x" updateRun="web-r10"`, web, false},
		{"a namespaced run of that name", `I0820 10:00:00.000000 1 c.go:1] "x" updateRun="shop/web-r1"`, web, false},
		{"a namespaced run", `E0820 10:00:00.000000 1 c.go:1] "Failed" err="x" updateRun="shop/pay-r1"`, pay, true},
		{"in another namespace", `I0820 10:00:00.000000 1 c.go:1] "x" updateRun="other/pay-r1"`, pay, false},
		{"a failed pass", "2026-08-20T10:00:00Z\tERROR\tReconciler error\t{\"controller\": \"clusterstagedupdaterun-controller\", \"ClusterStagedUpdateRun\": {\"name\":\"web-r1\"}, \"namespace\": \"\", \"name\": \"web-r1\", \"error\": \"x\"}", web, true},
		{"of a namespaced run", "2026-08-20T10:00:00Z\tERROR\tReconciler error\t{\"StagedUpdateRun\": {\"name\":\"pay-r1\",\"namespace\":\"shop\"}, \"namespace\": \"shop\", \"name\": \"pay-r1\"}", pay, true},
		{"of another controller", "2026-08-20T10:00:00Z\tERROR\tReconciler error\t{\"MemberCluster\": {\"name\":\"web-r1\"}, \"name\": \"web-r1\"}", web, false},
		{"nothing about runs", `I0820 10:00:00.000000 1 c.go:1] "x" placement="web"`, web, false},
		{"empty", "", web, false},
	} {
		if got := page.AboutRun(tt.line, tt.run); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestLogsPage(t *testing.T) {
	q := page.LogsQuestion{Run: engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r1", "u")}
	checkPage(t, "logs", flat(page.LogsPage(page.LogsFacts{Question: q, Now: pageNow, Hub: engine.Hub{Context: engine.Lit("hub")}, Pods: []page.LogOf{
		{Pod: "hub-agent-1", Read: 900, Lines: []string{
			`I0820 22:10:00.000000       1 updaterun/controller.go:139] "Initialized the updateRun" updateRun="shop/pay-r1"`,
			"E0820 22:11:00.000000       1 updaterun/execution.go:1] \"Failed \x1b[31m\" updateRun=\"shop/pay-r1\"",
			"2026-08-20T22:11:00Z\tERROR\tReconciler error\t{}",
		}},
		{Pod: "hub-agent-2", Read: 12},
		{Pod: "hub-agent-3", Why: engine.Lit("forbidden")},
	}})))
	checkPage(t, "logs-none", flat(page.LogsPage(page.LogsFacts{Question: q, Now: pageNow, Why: engine.Lit("this hub serves no pods")})))
}

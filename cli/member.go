package cli

import (
	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/engine"
)

// queries resolves --member-queries: the flag overrides the configuration.
func queries(c *config.Config, flag string) (on bool, err error) {
	switch flag {
	case config.QueriesAuto, config.QueriesOff:
		return flag == config.QueriesAuto, nil
	case "":
		return c.MemberQueries != config.QueriesOff, nil
	}
	return false, exit.Misuse(engine.Textf("invalid --member-queries %q", engine.Clean(flag)), engine.Lit("use auto or off"))
}

// members finds the kubeconfig contexts of members for the job.
func (j *job) members() contexts.Members {
	return contexts.Members{Config: j.config, File: j.conn.File, Hub: j.conn.Context, UserAgent: "stagewatch/" + buildVersion()}
}

package hub

import (
	"fmt"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
)

// hubVersion is the version of the API machinery with a version text that
// clients can read: without a release build it is a template that kubectl
// version refuses.
type hubVersion struct {
	basecompatibility.EffectiveVersion
}

func newHubVersion() hubVersion {
	return hubVersion{compatibility.DefaultBuildEffectiveVersion()}
}

// Info is what /version answers.
func (v hubVersion) Info() *version.Info {
	binary := v.BinaryVersion()
	info := *v.EffectiveVersion.Info()
	info.GitVersion = fmt.Sprintf("v%d.%d.%d+stagewatch", binary.Major(), binary.Minor(), binary.Patch())
	info.GitCommit, info.GitTreeState, info.BuildDate = "", "", ""
	return &info
}

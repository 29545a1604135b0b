// Package build knows the version of the program.
package build

import "runtime/debug"

// version is set by the release build.
var version string

// Version returns the release's version, else what the Go tool recorded
// about the module, else "dev".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}

// UserAgent names this program to API servers.
func UserAgent() string { return "stagewatch/" + Version() }

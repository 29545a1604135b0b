package usage

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// JoinKinds returns the arguments of the program with a kind and a name as kubectl takes them, "csur
// web-r5", as the one argument that names a run here: "csur/web-r5". A kind that may be the value of
// a flag is left alone. Of get, each further name is of that kind, too, up to the next flag.
func JoinKinds(args []string) []string {
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		kind := args[i]
		if kind == "--" {
			return append(out, args[i:]...)
		}
		after := i > 0 && isFlag(args[i-1]) && !strings.Contains(args[i-1], "=")
		if after || engine.RunKindOf(kind) == engine.KindUnknown || i+1 == len(args) || isFlag(args[i+1]) {
			out = append(out, kind)
			continue
		}
		for many := slices.Contains(out, "get"); i+1 < len(args) && !isFlag(args[i+1]); {
			i++
			if name := args[i]; strings.Contains(name, "/") {
				out = append(out, name)
			} else {
				out = append(out, kind+"/"+name)
			}
			if !many {
				break
			}
		}
	}
	return out
}

//go:build linux || darwin

package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// allowedRequests is what stagewatch may send to a hub: HTTP-like verb of the
// API, and the path behind the group, with * for a name. What stores something
// stands in the second list. Whatever else it sends is a mistake, whichever test
// brings it about (docs/promises.md#i9).
var (
	allowedLooks = regexp.MustCompile(`^(` + strings.Join([]string{
		`(get|list|watch) /apis/placement\.kubernetes-fleet\.io/v1beta1/(namespaces/[^/]+/)?(clusterstagedupdateruns|stagedupdateruns|clusterapprovalrequests|approvalrequests|clusterresourceplacements|resourceplacements|clusterresourcebindings|resourcebindings|works)(/[^/]+)?`,
		`(get|list|watch) /apis/cluster\.kubernetes-fleet\.io/v1beta1/memberclusters(/[^/]+)?`,
		`(get|list) /apis/placement\.kubernetes-fleet\.io/v1beta1/(namespaces/[^/]+/)?(clusterstagedupdatestrategies|stagedupdatestrategies|clusterresourcesnapshots|resourcesnapshots|clusterschedulingpolicysnapshots|schedulingpolicysnapshots|clusterresourceoverridesnapshots|resourceoverridesnapshots)(/[^/]+)?`,
		`list /api/v1/(namespaces/[^/]+/)?events`, `(get|list) /api/v1/namespaces(/[^/]+)?`,
		// What placements select, for the plan of a run; the hub has no secrets in it that are shown.
		`(get|list) /api/v1/(namespaces/[^/]+/)?(configmaps|services|serviceaccounts|secrets)(/[^/]+)?`,
		`(get|list) /apis/(apps|rbac\.authorization\.k8s\.io|apiextensions\.k8s\.io)/v1/(namespaces/[^/]+/)?[^/]+(/[^/]+)?`,
		// The kind whose CRD one incident of the demo brings.
		`(get|list) /apis/cert-manager\.io/v1/(namespaces/[^/]+/)?certificates(/[^/]+)?`,
		// The controller's log (docs/kubefleet.md#logs), and members, read only
		// (docs/architecture.md#demo).
		`list /api/v1/(namespaces/[^/]+/)?pods`, `get /api/v1/namespaces/[^/]+/pods/[^/]+/log`, `get /members/.*`,
		// The proof of a member, where a person chose the context of the hub for it.
		`list /apis/placement\.kubernetes-fleet\.io/v1beta1/appliedworks`,
		// What the hub is asked about itself.
		`get /apis?(/[^/]+(/v1(beta1)?)?)?`, `get /(version|readyz|openapi/v[23])`,
		// Reviews store nothing.
		`create /apis/(authentication|authorization)\.k8s\.io/v1/(selfsubjectreviews|selfsubjectaccessreviews)`,
	}, "|") + `)$`)
	allowedActs = regexp.MustCompile(`^(` + strings.Join([]string{
		`update /apis/placement\.kubernetes-fleet\.io/v1beta1/(clusterapprovalrequests|namespaces/[^/]+/approvalrequests)/[^/]+/status`,
		`(patch|delete) /apis/placement\.kubernetes-fleet\.io/v1beta1/(clusterstagedupdateruns|namespaces/[^/]+/stagedupdateruns)/[^/]+`,
		`create /apis/placement\.kubernetes-fleet\.io/v1beta1/(clusterstagedupdateruns|namespaces/[^/]+/stagedupdateruns)`,
	}, "|") + `)$`)
)

// onlyAllowed checks every request that stagewatch has sent to a served demo,
// by the hub's own account of them.
func onlyAllowed(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var bad []error
	told, own := map[string]bool{}, 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r struct {
			Agent, Verb, URI string
			DryRun           bool
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s: %w: %s", file, err, lines.Text())
		}
		if !strings.HasPrefix(r.Agent, "stagewatch/") {
			continue // the demo itself, and the witness of the tests
		}
		own++
		path, _, _ := strings.Cut(r.URI, "?")
		if p, err := url.PathUnescape(path); err == nil {
			path = p
		}
		what := r.Verb + " " + path
		if told[what] || allowedActs.MatchString(what) || allowedLooks.MatchString(what) && !r.DryRun {
			continue
		}
		told[what] = true
		bad = append(bad, fmt.Errorf("not on the list of what may be sent: %s", what))
	}
	if own == 0 {
		bad = append(bad, fmt.Errorf("%s: no request of stagewatch was told of", file))
	}
	return errors.Join(append(bad, lines.Err())...)
}

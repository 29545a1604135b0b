package works

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// selectsCluster tells whether an override's selector means the cluster: nil
// means none, a selector without terms all (docs/kubefleet.md#initialize, row
// 13).
func (g *Generator) selectsCluster(selector *placement.ClusterSelector, name string) bool {
	if selector == nil {
		return false
	}
	if len(selector.ClusterSelectorTerms) == 0 {
		return true
	}
	member := g.world.Members.Get(store.Key{Name: name})
	if member == nil {
		return false
	}
	for _, term := range selector.ClusterSelectorTerms {
		if term.LabelSelector == nil {
			continue
		}
		s, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err == nil && s.Matches(labels.Set(member.Labels)) {
			return true
		}
	}
	return false
}

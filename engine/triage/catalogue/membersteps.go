package catalogue

import "github.com/stagewatch/stagewatch/engine"

// StepsFor returns the steps of an entry about one cluster: those that lie with its member
// name it.
func (e *Entry) StepsFor(cluster string) []engine.Text {
	switch e {
	case &MemberGone:
		return Steps(
			engine.Textf("Create a new run ({clone}): it leaves out cluster %s.", cluster),
			engine.Textf("{undoes}To keep cluster %s, first join it to the fleet again under the same name.", cluster),
		)
	case &MemberDeleting:
		return Steps(
			engine.Textf("{fixes-first}Wait until member %s is deleted, which cannot be undone. Then create a new run ({clone}): it leaves out the cluster.", cluster),
			engine.Textf("To keep cluster %s in the fleet, join it again under the same name after the deletion, before you create the new run ({clone}).", cluster),
		)
	case &MemberLeaving:
		return Steps(engine.Textf("If cluster %s is meant to leave the fleet, create a new run ({clone}) after its MemberCluster is deleted. If not, join it again: restore its member agent.", cluster))
	case &MemberNotJoined, &MemberUnhealthy:
		return Steps(engine.Textf("Restore the agent of member %s. Until then the cluster keeps its current version.", cluster))
	case &MemberNoHeartbeat:
		return Steps(engine.Textf("Restore the agent of member %s and its connection to the hub. Until then the cluster keeps its current version.", cluster))
	}
	return e.Steps.Texts()
}

package works

import placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

// summary is how a placement words a condition over all its clusters
// (docs/kubefleet.md#conditions). %d is the number of clusters it is about.
type summary struct {
	unknownMessage            string
	falseReason, falseMessage string
	trueReason, trueMessage   string
}

func summaryOf(kind string, overridden bool) summary {
	switch kind {
	case placement.BindingRolloutStarted:
		return summary{
			unknownMessage: "There are still %d cluster(s) in the process of deciding whether to roll out the latest resources or not",
			falseReason:    placement.ReasonRolloutNotStartedYet,
			falseMessage:   "The rollout is being blocked by the rollout strategy in %d cluster(s)",
			trueReason:     placement.ReasonRolloutStarted,
			trueMessage:    "All %d cluster(s) start rolling out the latest resource",
		}
	case placement.BindingOverridden:
		s := summary{
			unknownMessage: "There are still %d cluster(s) in the process of overriding the resources if there is any override defined",
			falseReason:    placement.ReasonOverriddenFailed,
			falseMessage:   "Failed to override resources in %d cluster(s)",
			trueReason:     placement.ReasonNoOverrideSpecified,
			trueMessage:    "No override rules are configured for the selected resources",
		}
		if overridden {
			s.trueReason = placement.ReasonOverriddenSucceeded
			s.trueMessage = "The selected resources are successfully overridden in %d cluster(s)"
		}
		return s
	case placement.BindingWorkSynchronized:
		return summary{
			unknownMessage: "There are still %d cluster(s) in the process of preparing the work objects",
			falseReason:    placement.ReasonWorkNotSynchronizedYet,
			falseMessage:   "There are %d cluster(s) which have not finished creating or updating work(s) yet",
			trueReason:     placement.ReasonWorkSynchronized,
			trueMessage:    "Works(s) are succcesfully created or updated in %d target cluster(s)' namespaces",
		}
	case placement.BindingApplied:
		return summary{
			unknownMessage: "There are still %d cluster(s) in the process of applying the resources",
			falseReason:    placement.ReasonApplyFailed,
			falseMessage:   "Failed to apply resources to %d cluster(s), please check the `failedPlacements` status",
			trueReason:     placement.ReasonApplySucceeded,
			trueMessage:    "The selected resources are successfully applied to %d cluster(s)",
		}
	case placement.BindingAvailable:
		return summary{
			unknownMessage: "There are still %d cluster(s) in the process of checking the availability of the selected resources",
			falseReason:    placement.ReasonResourceNotAvailableYet,
			falseMessage:   "The selected resources in %d cluster(s) are still not available yet",
			trueReason:     placement.ReasonResourceAvailable,
			trueMessage:    "The selected resources in %d cluster(s) are available now",
		}
	default:
		return summary{
			unknownMessage: "There are still %d cluster(s) in the process of reporting diff",
			falseReason:    placement.ReasonDiffReportingIncomplete,
			falseMessage:   "Diff reporting is not finished in %d cluster(s)",
			trueReason:     placement.ReasonDiffReportingCompleted,
			trueMessage:    "Diff reporting in %d cluster(s) has been completed",
		}
	}
}

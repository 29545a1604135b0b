package subject

import "github.com/stagewatch/stagewatch/engine"

func showBinding(k *Subject) engine.Text { return k.binding() }

// showBindingWriters shows the binding with the clients that wrote its fields, and when.
func showBindingWriters(k *Subject) engine.Text { return k.binding("--show-managed-fields") }

// binding shows the binding of the cluster with further flags, or all of the placement if it is
// not known.
func (k *Subject) binding(flags ...string) engine.Text {
	if k.Cluster == nil || k.Cluster.Binding == nil {
		return showBindings(k)
	}
	_, name, _ := k.Cluster.Binding.ID.Raw()
	return k.hub(append([]string{"get", k.Cluster.Binding.ID.Kind().Plural(), name, "-o", "yaml"}, flags...)...)
}

package subject

import "github.com/stagewatch/stagewatch/engine"

func showBinding(k *Subject) engine.Text {
	if k.Cluster == nil || k.Cluster.Binding == nil {
		return showBindings(k)
	}
	_, name, _ := k.Cluster.Binding.ID.Raw()
	return k.hub("get", k.Cluster.Binding.ID.Kind().Plural(), name, "-o", "yaml")
}

// showBindingWriters shows the binding with the clients that wrote its fields, and when.
func showBindingWriters(k *Subject) engine.Text {
	if k.Cluster == nil || k.Cluster.Binding == nil {
		return showBindings(k)
	}
	_, name, _ := k.Cluster.Binding.ID.Raw()
	return k.hub("get", k.Cluster.Binding.ID.Kind().Plural(), name, "-o", "yaml", "--show-managed-fields")
}

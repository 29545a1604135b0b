// Package member reads one member cluster through a kubeconfig context, and never
// writes to it. It proves that the context leads to the member, and executes credential
// plugins for automatic queries without a terminal and with a deadline.
package member

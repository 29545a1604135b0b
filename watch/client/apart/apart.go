// Package apart separates a program from the terminal, before it is started: a credential
// plugin, or the program of a notification, can neither ask nor draw there, and is killed with
// what it has started. It also keeps the end of what such a program writes.
package apart

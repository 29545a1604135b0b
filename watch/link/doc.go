// Package link keeps the health of the connection to a hub: which sources fail, how fresh
// each set of objects is, and what regular probes say about the API server.
package link

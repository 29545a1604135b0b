// Package client is the way to one API server, of a hub or of a member cluster: every
// request passes through a Client, in Do or Stream. A Client has the login, the
// connections, the clock of the server and the meaning of its errors (Failure).
package client

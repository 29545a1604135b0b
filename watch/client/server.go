package client

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
)

type serverKey struct{}

// WithServer returns a context with which a request tells by which server it was answered.
func WithServer(ctx context.Context) (context.Context, *string) {
	server := new(string)
	return context.WithValue(ctx, serverKey{}, server), server
}

// noteServer notes the server of an answer for the request that asks for it.
func noteServer(ctx context.Context, connection *tls.ConnectionState) {
	if server, ok := ctx.Value(serverKey{}).(*string); ok {
		*server = serverOf(connection)
	}
}

// serverOf identifies a server by its certificate: those of several API servers in front of
// one store differ. It is empty where there is none.
func serverOf(connection *tls.ConnectionState) string {
	if connection == nil || len(connection.PeerCertificates) == 0 {
		return ""
	}
	sum := sha256.Sum256(connection.PeerCertificates[0].Raw)
	return string(sum[:])
}

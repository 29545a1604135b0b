// Package faults disturbs the requests between a program and an API server, for tests.
// A Proxy applies Rules to the requests that pass it; an APIServer is a small API server
// in memory that can also send wrong data, for tests in compressed time.
package faults

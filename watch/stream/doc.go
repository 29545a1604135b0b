// Package stream lists and watches the sets of objects that a session needs. Streams
// starts and ends the streams of one hub; each decodes its objects, delivers them to
// the store, and reports to the Link, which is the health of the connection.
package stream

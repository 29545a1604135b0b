// Package stream lists and watches the sets of objects that a session needs. Streams
// starts and ends the streams of one hub; each decodes its objects, delivers them to
// the store, and reports to the Link, the health of the connection.
//
// A stream does what client-go's Reflector does, and what a Reflector does not let its
// user do: bound the time to the head of each answer and between its parts; send a
// request again as soon as the hub answers others; keep at most one list in flight;
// take no list that is older than the state shown, unless the hub was reset; and read
// no list into a second store first.
package stream

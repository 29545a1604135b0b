// Package incoming reads the objects of a set from the lists and watches of a hub: it cuts them out of what
// arrives, decodes them beside it, and bounds what a list may bring.
package incoming

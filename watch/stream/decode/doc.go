// Package decode makes of the JSON of an object what a set keeps of it.
package decode

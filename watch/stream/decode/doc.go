// Package decode decodes an object into what a set keeps of it.
package decode

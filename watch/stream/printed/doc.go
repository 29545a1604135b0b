// Package printed reads runs as a Table, the rows that kubectl prints: they are there before the
// objects of a large list.
package printed

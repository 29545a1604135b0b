// Package screens has the pictures of docs/screens.md: its test draws them with the program, from
// objects of a hub, so that no picture shows what the program does not print. docs/screens.md#record
// says how the objects are recorded anew.
package screens

//go:generate go test -run ^TestPictures$ . -update

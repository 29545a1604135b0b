// Package ask reads what is not watched. An Asker answers the Questions of pages, a
// Reader reads the input of a plan, and Nearby reads in the background what the
// diagnosis on the screen needs beside the streams.
package ask

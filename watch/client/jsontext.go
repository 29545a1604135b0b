package client

import (
	"encoding/json"
	"errors"
)

// errFound ends the search for a field.
var errFound = errors.New("found")

// JSONText is the text at a path of member names in an object; empty if there is none that can be read. What
// comes behind it is not read.
func JSONText(raw []byte, path ...string) (value string) {
	err := CutJSON(raw).Fields("", nil, func(name string, v []byte) error {
		switch {
		case name != path[0]:
			return nil
		case len(path) > 1:
			value = JSONText(v, path[1:]...)
		default:
			if err := json.Unmarshal(v, &value); err != nil {
				return err
			}
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return "" // decoding says what is wrong
	}
	return value
}

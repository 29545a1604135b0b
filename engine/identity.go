package engine

// Verdict is the result of verifying that a kubeconfig context belongs to the
// member that it is used for.
type Verdict uint8

// The verdicts.
const (
	NotVerified Verdict = iota // no proof for the member and none against it
	Verified                   // the context leads to the member
	Mismatch                   // the context leads to another member
)

// String returns the word for pages and documents.
func (v Verdict) String() string {
	//exhaustive:enforce
	switch v {
	case NotVerified:
		return "not verified"
	case Verified:
		return "verified"
	case Mismatch:
		return "mismatch"
	}
	return "unknown"
}

// Identity is the verdict on a context and what it rests on.
type Identity struct {
	Verdict Verdict
	// Why names the proof, or says why there is none.
	Why Text
	// Other is the member that the context belongs to, set for a Mismatch only; empty
	// when it belongs to none.
	Other Text
}

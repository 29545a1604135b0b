package engine

import "time"

// Diagnosis is the cause of the state of a run or a cluster, its evidence, recovery and next steps.
// Its texts contain times of day and no ages, since they are not updated.
type Diagnosis struct {
	// Cause is the entry of triage's catalogue; zero: a text that is not known.
	Cause Cause
	// What is what happened, in one sentence; Short the cause in a few words, zero
	// when it is not known.
	What, Short Text
	// RecoveryText is whether it recovers by itself and what would repair it; Recovery is
	// the same for programs.
	RecoveryText Text
	Recovery     Recovery
	// Next is the next step for a person: the first of Steps.
	Next  Text
	Steps []Text
	// NextActions are the pages and acts for the next step, the best first.
	NextActions []NextAction
	// Member is the cluster that this is about, zero when it is about none.
	Member ID
	// Quote is the hub's own message behind What, whole; empty when there is none.
	Quote Text
	// Since is when the cause began to hold, as far as it is known.
	Since time.Time
	// Where is the way from the run to what holds it up, in one line; Path is
	// the same link by link, with the time of each.
	Where Text
	Path  []Hop
	// Read is the source of what was taken from a member; zero for none.
	Read MemberRead
	// Evidence is what What was read from, the most telling first.
	Evidence []Evidence
	// Reads is what a page of the diagnosis reads from the hub.
	Reads HubRead
	// Fails is set when the controller will fail the run as soon as it continues it, and for a
	// run that goes on while its placement is being deleted.
	Fails bool
	// LeftFailing is what still fails on a cluster that a failed run had started.
	LeftFailing Text
	// Warnings are what a person should know before the run continues, a sentence each.
	Warnings []Text
	// Overrides are those of the cluster that the cause is about: they apply to every snapshot.
	Overrides []Text
	// AsksMember is set when Member may know more and was not asked. Unread is what
	// the cause leaves open because the member has not returned it.
	AsksMember bool
	Unread     Text
	// Bindings is set when the diagnosis depends on the bindings of the placement.
	Bindings bool
	// HubReads are what the cause and the steps are read from, besides the streams.
	HubReads []HubReadOf
	// Gaps are what the limit of HubReads leaves out.
	Gaps []Gap
	// Commands are kubectl command lines, quoted for a shell, that show what
	// Steps refer to or execute them.
	Commands []Text
	// Also lists further causes, such as competing runs and members without heartbeat.
	Also []Finding
}

// HubRead is what no stream has and a diagnosis needs.
type HubRead uint8

// The reads of a diagnosis.
const (
	ReadNothing   HubRead = iota
	ReadOverrides         // the cluster's override snapshots, and the latest ones
	ReadWorks             // the cluster's Works
	ReadObjects           // the Works of every placement on the cluster, with the objects that they apply
	ReadManifest          // a workload as it is on the hub
)

// HubReadOf is a HubRead for one member, which a diagnosis is made from. For ReadManifest,
// Member is the workload instead: its name follows its resource, as "deployments/web".
type HubReadOf struct {
	Member ID
	What   HubRead
}

// Title names what is read.
func (o HubReadOf) Title() Text {
	return Textf("%s of %s", map[HubRead]string{ReadOverrides: "overrides", ReadWorks: "Works", ReadObjects: "Works", ReadManifest: "hub manifest"}[o.What], o.Member.Name())
}

// Cause is the slug of an entry of triage's catalogue of causes: lower case, with "-" between words. It is a constant of the
// program, never a text of the hub; empty for none.
type Cause string

// Finding is a cause with its title in the catalogue.
type Finding struct {
	Cause Cause
	Title Text
}

// IsZero reports whether no cause is named.
func (c Cause) IsZero() bool { return c == "" }

// String returns the slug; "unknown" for the zero Cause.
func (c Cause) String() string {
	if c.IsZero() {
		return "unknown"
	}
	return Clean(string(c)).s
}

// MarshalText writes the slug.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Recovery is what repairs a run or a cluster.
type Recovery uint8

// The recoveries.
const (
	RecoveryUnknown   Recovery = iota // the cause is not known, so neither is its cure
	RecoveryNotNeeded                 // nothing is wrong
	RecoveryAutomatic                 // time alone: the hub or the member goes on
	RecoveryOnMember                  // a repair on the member; the same run goes on
	RecoveryOnHub                     // a repair on the hub; the same run goes on
	RecoveryByPerson                  // an act on the run: approve, start, resume
	RecoveryByNewRun                  // a new run only, after the cause is gone
)

// String returns the words for documents, lower case with "-".
func (h Recovery) String() string {
	//exhaustive:enforce
	switch h {
	case RecoveryUnknown:
		return "unknown"
	case RecoveryNotNeeded:
		return "not-needed"
	case RecoveryAutomatic:
		return "automatic"
	case RecoveryOnMember:
		return "member-fix"
	case RecoveryOnHub:
		return "hub-fix"
	case RecoveryByPerson:
		return "person"
	case RecoveryByNewRun:
		return "new-run"
	}
	return "unknown"
}

// MarshalText writes the words.
func (h Recovery) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// Evidence is one field of one object that a Diagnosis rests on.
type Evidence struct {
	Object Text // "ClusterResourceBinding web-prod-2"
	Field  Text // "status.conditions[Available]"
	Value  Text
	Since  time.Time // since when it holds; zero when the object does not say
}

// Hop is one link of the way from a run to what holds it up.
type Hop struct {
	Level Text // run, stage, cluster, binding, work, manifest, pod, member
	Name  Text
	State Text
	Since time.Time
}

// MemberRead is the source of what a Diagnosis takes from a member.
type MemberRead struct {
	Member, Context Text
	Identity        Identity
	// Says is what keeps the workload from becoming ready, in a clause; zero when
	// the diagnosis takes nothing from the member.
	Says Text
	// Why is why nothing could be read.
	Why Text
	At  time.Time
}

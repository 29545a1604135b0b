package forecast

import (
	"math"
	"slices"
	"time"
)

// enoughPairs is how many comparable updates suffice to compare two runs.
const enoughPairs = 3

// update is how long the member of a cluster took for an update, or a deletion.
type update struct {
	cluster string
	took    time.Duration
}

// durations are those of the updates, or of the deletions, that were observed, as
// logarithms.
type durations struct {
	// pool are those that stand for any cluster, shortest first, own the last one of each
	// cluster in earlier runs, at the pace of this run.
	pool []float64
	own  map[string]float64
	// deviation is how much those of the pool deviate, repeat those of the same cluster.
	deviation, repeat float64
}

// summarize computes the durations from those of the run and of earlier ones, oldest
// first.
func summarize(now, before []update) durations {
	d := durations{own: map[string]float64{}}
	var repeats, pace []float64
	for _, u := range before {
		took := logarithm(u.took)
		if last, ok := d.own[u.cluster]; ok {
			repeats = append(repeats, (took-last)/math.Sqrt2)
		}
		d.own[u.cluster], d.pool = took, append(d.pool, took)
	}
	for _, u := range now {
		took := logarithm(u.took)
		if last, ok := d.own[u.cluster]; ok {
			pace = append(pace, took-last)
		}
		d.pool = append(d.pool, took)
	}
	slices.Sort(d.pool)
	if slices.Sort(pace); len(pace) >= enoughPairs {
		shift := pace[len(pace)/2]
		for name := range d.own {
			d.own[name] += shift
		}
		for _, p := range pace {
			repeats = append(repeats, (p-shift)/math.Sqrt2)
		}
	}
	d.deviation, d.repeat = deviation(d.pool), 0.06 // of what was never observed twice
	if len(repeats) >= enoughPairs {
		d.repeat = deviation(repeats)
	}
	return d
}

// of is how long the member of a cluster takes: as last time, else a quantile of all that
// took longer than it has taken already. The golden ratio spreads the quantiles evenly over
// the ordinals of a run. bound selects the likely duration (0) or the short (-1) or long (1)
// end of about the 90 % prediction interval of the mean of so many updates. Not ok: none was
// observed.
func (d *durations) of(cluster string, ordinal, updates int, bound float64, elapsed time.Duration) (took time.Duration, ok bool) {
	n := len(d.pool)
	if n == 0 {
		return 0, false
	}
	likely, own := d.own[cluster]
	deviation := d.repeat
	if !own {
		longer, _ := slices.BinarySearch(d.pool, logarithm(elapsed))
		longer = min(longer, n-1)
		_, quantile := math.Modf(float64(ordinal) * math.Phi)
		likely, deviation = d.pool[longer+int(quantile*float64(n-longer))], d.deviation
	}
	if likely <= logarithm(elapsed) { // it has outlasted those observed
		return elapsed + time.Duration(max(bound, 0)/2*float64(elapsed)), true
	}
	margin := math.Ln2 // a factor of two
	if n > 1 {
		margin = min(margin, 2.5*deviation*math.Sqrt(1/float64(updates)+1/float64(n)))
	}
	return max(elapsed, time.Duration(math.Exp(likely+bound*margin)*float64(time.Second))), true
}

// logarithm is that of the seconds. Less than 100 ms counts as 100 ms.
func logarithm(d time.Duration) float64 { return math.Log(max(d.Seconds(), 0.1)) }

// deviation is the standard deviation, at least 0.02.
func deviation(list []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(max(squares/float64(max(len(list)-1, 1)), 0.0004))
}

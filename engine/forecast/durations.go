package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// enough is how many updates of the run suffice without those of earlier runs.
	enough = 8
	// enoughPairs is how many comparable updates suffice to compare two runs.
	enoughPairs = 3
)

// update is an update, or a deletion, that was observed. Its member took a time, give or
// take off.
type update struct {
	cluster   string
	took, off time.Duration
}

// durations are those of the updates, or of the deletions, that were observed.
type durations struct {
	// pool are those that stand for any cluster, shortest first, and deviation is how
	// much the logarithms of their durations deviate.
	pool      []update
	deviation float64
	// own is the last one of each cluster in earlier runs, at the pace of this run, and
	// repeat how much those of the same cluster deviate.
	own    map[string]update
	repeat float64
	// blur is how far, as a logarithm, a duration may be from the observed one,
	// because the controller polls.
	blur float64
}

// summarize computes the durations from those of the run and of earlier ones, oldest
// first.
func summarize(now, before []update) durations {
	d := durations{pool: slices.Clone(now), own: map[string]update{}, repeat: 0.06} // of what was never observed twice
	if len(now) < enough {
		d.pool = append(d.pool, before...)
	}
	slices.SortStableFunc(d.pool, func(a, b update) int { return cmp.Compare(a.took, b.took) })
	var logs, blurs, repeats, pace []float64
	for _, u := range d.pool {
		logs, blurs = append(logs, ratio(u.took, time.Second)), append(blurs, ratio(u.took+u.off, u.took))
	}
	d.deviation, d.blur = deviation(logs), median(blurs)
	for _, u := range before {
		if last, ok := d.own[u.cluster]; ok {
			repeats = append(repeats, ratio(u.took, last.took)/math.Sqrt2)
		}
		d.own[u.cluster] = u
	}
	for _, u := range now {
		if last, ok := d.own[u.cluster]; ok {
			pace = append(pace, ratio(u.took, last.took))
		}
	}
	shift := median(pace)
	for _, p := range pace {
		repeats = append(repeats, (p-shift)/math.Sqrt2)
	}
	if len(pace) >= enoughPairs && math.Abs(shift) >= d.blur { // else polling may explain it
		for name, u := range d.own {
			d.own[name] = update{name, stretch(u.took, shift), stretch(u.off, shift)}
		}
	}
	if len(repeats) >= enoughPairs {
		// A value anywhere within bounds deviates by a third of their square.
		d.repeat = math.Sqrt(max(math.Pow(deviation(repeats), 2)-d.blur*d.blur/3, 0.02*0.02))
	}
	return d
}

// of is how long the member of a cluster takes: as last time, else a quantile of all
// observed durations, which the golden ratio spreads evenly over the ordinals of a run. bound
// selects the likely duration (0) or the short (-1) or long (1) end of the 90 %
// prediction interval of the mean of so many updates. elapsed is how long the member has
// taken already. Not ok: none was observed.
func (d *durations) of(cluster string, ordinal, updates int, bound float64, elapsed time.Duration) (took time.Duration, ok bool) {
	n := len(d.pool)
	if n == 0 {
		return 0, false
	}
	u, own := d.own[cluster]
	deviation := d.repeat
	if !own {
		longer := max(slices.IndexFunc(d.pool, func(u update) bool { return u.took+u.off > elapsed }), 0)
		_, quantile := math.Modf(float64(ordinal) * math.Phi)
		u, deviation = d.pool[longer+int(quantile*float64(n-longer))], d.deviation
	}
	latest := u.took + u.off
	switch {
	case latest <= elapsed: // it has outlasted those observed
		return elapsed + time.Duration((1+bound)/4*float64(elapsed)), true
	case u.took <= elapsed:
		u.took = elapsed + (latest-elapsed)/2
	}
	margin := math.Ln2 // a factor of two
	if n > 1 {
		t := 1.8 + 4.6/math.Pow(float64(n-1), 1.6) // about Student's t
		margin = min(margin, t*deviation*math.Sqrt(1/float64(updates)+1/float64(n))+0.3/float64(n))
	}
	return max(elapsed, stretch(u.took, bound*(margin+d.blur/math.Sqrt(3*float64(updates))))), true
}

// ratio is the logarithm of a/b. Less than 100 ms counts as 100 ms.
func ratio(a, b time.Duration) float64 {
	const least = 100 * time.Millisecond
	return math.Log(float64(max(a, least)) / float64(max(b, least)))
}

func stretch(d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) * math.Exp(by))
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// deviation is the standard deviation, at least 0.001.
func deviation(list []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(max(squares/float64(max(len(list)-1, 1)), 1e-6))
}

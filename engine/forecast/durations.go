package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// durations are those of the updates that were observed.
type durations struct {
	// pool are the updates that stand for those of any cluster, shortest first, and
	// deviation how much the logarithms of their durations deviate.
	pool      []update
	deviation float64
	// own is the median update of each cluster in earlier runs, at the pace of this run,
	// and repeat how much updates of the same cluster deviate.
	own    map[string]update
	repeat float64
	// blur is how far, as a logarithm, a duration may be from the observed one,
	// because the controller polls.
	blur float64
}

// summarize computes the durations from the updates of the run and of earlier ones.
func summarize(now, before []update) (d durations) {
	d.pool = slices.Clone(now)
	if len(now) < enough {
		d.pool = append(d.pool, before...)
	}
	slices.SortStableFunc(d.pool, byDuration)
	var logs, blurs []float64
	for _, u := range d.pool {
		logs, blurs = append(logs, ratio(u.took, time.Second)), append(blurs, ratio(u.took+u.off, u.took))
	}
	d.deviation, d.blur = math.Sqrt(variance(logs)), median(blurs)
	earlier := map[string][]update{}
	for _, u := range before {
		earlier[u.cluster] = append(earlier[u.cluster], u)
	}
	d.own = map[string]update{}
	for name, list := range earlier {
		slices.SortStableFunc(list, byDuration)
		d.own[name] = list[len(list)/2]
	}
	var pace, repeats []float64
	for _, u := range now {
		if own, ok := d.own[u.cluster]; ok {
			pace = append(pace, ratio(u.took, own.took))
		}
	}
	shift := median(pace)
	for _, p := range pace {
		repeats = append(repeats, (p-shift)/math.Sqrt2)
	}
	for _, u := range before {
		if len(earlier[u.cluster]) > 1 {
			repeats = append(repeats, ratio(u.took, d.own[u.cluster].took))
		}
	}
	if len(pace) >= enoughPairs && math.Abs(shift) >= d.blur { // else polling may explain it
		for name, u := range d.own {
			d.own[name] = update{name, stretch(u.took, shift), stretch(u.off, shift)}
		}
	}
	d.repeat = 0.06 // of what was never observed twice
	if len(repeats) >= enoughPairs {
		// A value anywhere within bounds deviates by a third of their square.
		d.repeat = math.Sqrt(max(variance(repeats)-d.blur*d.blur/3, 0.02*0.02))
	}
	return d
}

func byDuration(a, b update) int { return cmp.Compare(a.took, b.took) }

// of is how long the member of a cluster takes: its own median, else a quantile of all
// observed durations, which ordinal spreads evenly over the clusters of a run. bound
// selects the likely duration (0) or the short (-1) or long (1) end of the 90 %
// prediction interval of the mean of so many updates. elapsed is how long the member has
// taken already. Not ok: no update was observed.
func (d *durations) of(cluster string, ordinal, updates int, bound float64, elapsed time.Duration) (took time.Duration, ok bool) {
	n := len(d.pool)
	if n == 0 {
		return 0, false
	}
	u, own := d.own[cluster]
	deviation := d.repeat
	if !own {
		longer := max(slices.IndexFunc(d.pool, func(u update) bool { return u.took+u.off > elapsed }), 0)
		u, deviation = d.pool[longer+int(quantile(ordinal)*float64(n-longer))], d.deviation
	}
	latest := u.took + u.off
	switch {
	case latest <= elapsed:
		return overdue(elapsed, bound), true
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

// overdue is how long an update takes in all that has outlasted those observed.
func overdue(elapsed time.Duration, bound float64) time.Duration {
	if bound < 0 {
		return elapsed
	}
	return elapsed + time.Duration((0.25+0.75*bound)*float64(elapsed))
}

// quantile spreads 1, 2, 3… evenly over the numbers from 0 to 1: halves, then
// quarters, then eighths (van der Corput).
func quantile(n int) float64 {
	x := 0.0
	for step := 0.5; n > 0; n, step = n/2, step/2 {
		x += step * float64(n%2)
	}
	return x
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

// variance is at least 1e-6.
func variance(list []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	return max(squares/float64(max(len(list)-1, 1)), 1e-6)
}

package forecast

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// summarize computes the medians and the deviations of the updates.
func (h *history) summarize() {
	h.pool = slices.Clone(h.now)
	if len(h.pool) < enough {
		h.pool = append(h.pool, h.before...)
	}
	if len(h.pool) == 0 {
		return
	}
	var durations, blurs []float64
	slices.SortStableFunc(h.pool, byDuration)
	for _, u := range h.pool {
		durations = append(durations, ratio(u.took, time.Second))
		blurs = append(blurs, ratio(u.took+u.off, u.took))
	}
	h.deviation, h.blur = math.Sqrt(variance(durations)), median(blurs)
	h.own = map[string]update{}
	var repeats, pace []float64
	perCluster := map[string][]update{}
	for _, u := range h.before {
		perCluster[u.cluster] = append(perCluster[u.cluster], u)
	}
	for _, name := range slices.Sorted(maps.Keys(perCluster)) { // sums of floats depend on the order
		updates := perCluster[name]
		for i := 1; i < len(updates); i++ {
			repeats = append(repeats, ratio(updates[i].took, updates[i-1].took)/math.Sqrt2)
		}
		slices.SortStableFunc(updates, byDuration)
		h.own[name] = updates[len(updates)/2]
	}
	for _, u := range h.now {
		if own, ok := h.own[u.cluster]; ok {
			pace = append(pace, ratio(u.took, own.took))
		}
	}
	if len(pace) >= enoughPairs {
		shift := median(pace)
		for _, p := range pace {
			repeats = append(repeats, (p-shift)/math.Sqrt2)
		}
		if math.Abs(shift) >= h.blur { // else polling may explain it
			for name, u := range h.own {
				u.took, u.off = stretch(u.took, shift), stretch(u.off, shift)
				h.own[name] = u
			}
		}
	}
	h.repeat = 0.06 // of what was never observed twice
	if len(repeats) >= enoughPairs {
		// A value anywhere within bounds deviates by a third of their square.
		h.repeat = math.Sqrt(max(variance(repeats)-h.blur*h.blur/3, 0.02*0.02))
	}
}

func byDuration(a, b update) int { return cmp.Compare(a.took, b.took) }

// duration is how long the member of a cluster takes: its own median, else a quantile
// of all observed durations, which ordinal spreads evenly over the clusters of a run.
// bound selects the likely duration (0) or the short (-1) or long (1) end of the
// prediction interval of the mean of so many updates. elapsed is how long the member has
// taken already. Not ok: no update was observed.
func (h *history) duration(cluster string, ordinal, updates int, bound float64, elapsed time.Duration) (took time.Duration, ok bool) {
	if len(h.pool) == 0 {
		return 0, false
	}
	deviation := h.deviation
	u, own := h.own[cluster]
	if own {
		deviation = h.repeat
	} else {
		longer := max(slices.IndexFunc(h.pool, func(u update) bool { return u.took+u.off > elapsed }), 0)
		u = h.pool[longer+int(quantile(ordinal)*float64(len(h.pool)-longer))]
	}
	took = u.took
	if took <= elapsed {
		latest := u.took + u.off
		if latest <= elapsed {
			return overdue(elapsed, bound), true
		}
		took = elapsed + (latest-elapsed)/2
	}
	n := float64(updates)
	margin := interval(deviation, len(h.pool), n) + h.blur/math.Sqrt(3*n)
	return max(elapsed, stretch(took, bound*margin)), true
}

// overdue is how long an update takes in all that has outlasted those observed.
func overdue(elapsed time.Duration, bound float64) time.Duration {
	switch {
	case bound < 0:
		return elapsed
	case bound > 0:
		return 2 * elapsed
	}
	return elapsed + elapsed/4
}

// deletion is how long the i-th of n members takes to release its binding: a quantile
// of the observed durations, else until the first poll.
func (h *history) deletion(i, n int) time.Duration {
	if len(h.deletions) == 0 {
		return h.timing.ClusterCheck / 2
	}
	return h.deletions[(2*i+1)*len(h.deletions)/(2*n)]
}

// interval is the 90 % prediction interval, as a logarithm, of the mean of so many
// updates after n observed ones with this deviation, wider where few were observed. It
// is at most a factor of two. The first factor is about Student's t.
func interval(deviation float64, n int, updates float64) float64 {
	if n == 1 {
		return math.Ln2
	}
	t := 1.8 + 4.6/math.Pow(float64(n-1), 1.6)
	return min(math.Ln2, t*deviation*math.Sqrt(1/updates+1/float64(n))+0.3/float64(n))
}

// quantile spreads 1, 2, 3… evenly over the numbers from 0 to 1: halves, then
// quarters, then eighths (van der Corput).
func quantile(n int) float64 {
	x, step := 0.0, 0.5
	for ; n > 0; n /= 2 {
		x += step * float64(n%2)
		step /= 2
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
	slices.Sort(list)
	return list[len(list)/2]
}

func variance(list []float64) float64 {
	const least = 1e-6
	if len(list) < 2 {
		return least
	}
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	return max(squares/float64(len(list)-1), least)
}

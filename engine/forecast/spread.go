package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// widest bounds how far from what is likely a duration is expected to be: by a
// factor of two.
const widest = math.Ln2

// summarize works out what is usual and how much updates deviate from it.
func (h *history) summarize() {
	h.pool = slices.Clone(h.now)
	if len(h.pool) < ownEnough {
		h.pool = append(h.pool, h.before...)
	}
	if len(h.pool) == 0 {
		return
	}
	slices.SortStableFunc(h.pool, func(a, b update) int { return cmp.Compare(a.took, b.took) })
	h.usual = h.pool[len(h.pool)/2].took
	blurs := make([]float64, len(h.pool))
	for i, u := range h.pool {
		h.spread = append(h.spread, apart(u.took, h.usual))
		blurs[i] = apart(u.took+u.blur, u.took)
	}
	slices.Sort(blurs)
	h.blur = blurs[len(blurs)/2]
	// What lies anywhere within bounds deviates by a third of their square.
	blurred := square(h.blur) / 3
	h.chance = 0.05 // of what was never seen twice
	if twice := h.ownUpdates(); len(twice) >= pairsEnough {
		h.chance = math.Sqrt(max(variance(twice)-blurred, square(0.02)))
	}
	h.trust = max(0, 1-(blurred+square(h.chance))/variance(h.spread))
}

// ownUpdates works out what is usual for each cluster, at the pace of this run,
// and returns how updates of the same cluster deviate from each other.
func (h *history) ownUpdates() (twice []float64) {
	perCluster := map[string][]update{}
	for _, u := range h.before {
		perCluster[u.cluster] = append(perCluster[u.cluster], u)
	}
	h.own = make(map[string]update, len(perCluster))
	for name, updates := range perCluster {
		for i := 1; i < len(updates); i++ {
			// Two that deviate each make a difference of twice the variance.
			twice = append(twice, apart(updates[i].took, updates[i-1].took)/math.Sqrt2)
		}
		slices.SortStableFunc(updates, func(a, b update) int { return cmp.Compare(a.took, b.took) })
		h.own[name] = updates[len(updates)/2]
	}
	var pace []float64
	for _, u := range h.now {
		if usual, ok := h.own[u.cluster]; ok {
			pace = append(pace, apart(u.took, usual.took))
		}
	}
	if len(pace) < pairsEnough {
		return twice
	}
	slices.Sort(pace)
	shift := pace[len(pace)/2]
	// As far as it can be told from chance.
	if chance := variance(pace) / float64(len(pace)); square(shift) > chance {
		shift *= 1 - chance/square(shift)
	} else {
		shift = 0
	}
	for name, u := range h.own {
		u.took, u.blur = stretch(u.took, shift), stretch(u.blur, shift)
		h.own[name] = u
	}
	for _, p := range pace {
		twice = append(twice, (p-shift)/math.Sqrt2)
	}
	return twice
}

// draw is how long a member is expected to take. ordinal picks its place in
// the spread, evenly over the clusters of a run. lean goes to the shorter (-1)
// or longer (1) end of what the mean of waves more updates may be, given how
// many were seen. elapsed is what it has taken already. Not ok: nothing was
// seen.
func (h *history) draw(cluster string, ordinal, waves int, lean float64, elapsed time.Duration) (took time.Duration, ok bool) {
	if len(h.pool) == 0 {
		return 0, false
	}
	place, deviation, n := evenly(ordinal), math.Sqrt(variance(h.spread)), len(h.pool)
	u, own := h.own[cluster]
	if own {
		// As its own as it can be told from chance, within what was seen.
		mixed := stretch(h.usual, h.trust*apart(u.took, h.usual))
		mixed = min(max(mixed, u.took-u.blur*9/10), u.took+u.blur*9/10)
		u.blur -= (mixed - u.took).Abs()
		u.took = mixed
		deviation = h.chance
		took = stretch(u.took, h.chance*normal(place))
	} else {
		// One of those that may still be.
		from := slices.IndexFunc(h.pool, func(u update) bool { return u.took+u.blur > elapsed })
		left := h.pool[max(from, 0):]
		u = left[int(place*float64(len(left)))]
		took = u.took
	}
	if took <= elapsed {
		if latest := u.took + u.blur; latest > elapsed {
			took = elapsed + (latest-elapsed)/2
		} else {
			return overdue(elapsed, lean), true
		}
	}
	return max(elapsed, stretch(took, lean*(margin(deviation, n, waves)+h.blur/math.Sqrt(3*float64(waves))))), true
}

// overdue is how long something takes in all that has outlasted what was seen:
// the longer it lasts, the longer it may yet.
func overdue(elapsed time.Duration, lean float64) time.Duration {
	switch {
	case lean < 0:
		return elapsed
	case lean > 0:
		return 2 * elapsed
	}
	return elapsed + elapsed/4
}

// deletion is how long the i-th of n members takes to let go of its binding.
// Where that was never seen, it is seen at the first look.
func (h *history) deletion(i, n int) time.Duration {
	if len(h.deletions) == 0 {
		return h.timing.ClusterCheck / 2
	}
	return h.deletions[(2*i+1)*len(h.deletions)/(2*n)]
}

// margin is how far, as a logarithm, the mean of so many waves of updates may be
// from that of the n that were seen, which deviate so much: the prediction
// interval of nine in ten, made wider where few were seen.
func margin(deviation float64, n, waves int) float64 {
	if n == 1 {
		return widest
	}
	return min(widest, student(n-1)*deviation*math.Sqrt(1/float64(waves)+1/float64(n))+0.3/float64(n))
}

// normal is the normal distribution's deviation below which a part of all lies,
// nearly.
func normal(part float64) float64 {
	part = min(max(part, 0.01), 0.99)
	return math.Log(part/(1-part)) / 1.7
}

// student is the factor of Student's distribution that takes in nine in ten,
// by degrees of freedom.
func student(freedom int) float64 {
	table := [...]float64{1: 6.31, 2: 2.92, 3: 2.35, 4: 2.13, 5: 2.02, 6: 1.94, 7: 1.89, 8: 1.86, 9: 1.83, 10: 1.81}
	if freedom < len(table) {
		return table[freedom]
	}
	return 1.65 + 1.6/float64(freedom)
}

// evenly spreads 1, 2, 3… over the numbers from 0 to 1: halves, then quarters,
// then eighths (van der Corput).
func evenly(n int) float64 {
	x, step := 0.0, 0.5
	for ; n > 0; n /= 2 {
		x += step * float64(n%2)
		step /= 2
	}
	return x
}

// apart is the logarithm of how many times b the duration a is. Less than a
// tenth of a second counts as that.
func apart(a, b time.Duration) float64 {
	least := 100 * time.Millisecond
	return math.Log(float64(max(a, least)) / float64(max(b, least)))
}

func stretch(d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) * math.Exp(by))
}

// variance is that of deviations around their mean; a tiny one for fewer than
// two.
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
		squares += square(x - mean)
	}
	return max(squares/float64(len(list)-1), least)
}

func square(x float64) float64 { return x * x }

// Three ways to name a place on the path, and how they belong together:
// `sample`: number of a pose, with what is between two of them; `along`: segments and what is between them, as the library
// counts; `x`: the axis of the plot, which is also how the motion is played (seconds, or how far joints move).

export class Timeline {
  // `isStepped`: only samples are places, nothing between them.
  constructor(along, waypoints, isStepped = false) {
    this.isStepped = isStepped;
    this.alongs = along;
    this.waypoints = waypoints;
    this.xs = Float64Array.from(along, (place) => this.xOfAlong(place));
    this.length = waypoints[waypoints.length - 1];
  }

  get last() {
    return this.alongs.length - 1;
  }

  xOfAlong(along) {
    const segment = Math.min(Math.max(Math.floor(along), 0), this.waypoints.length - 2);
    const [from, to] = [this.waypoints[segment], this.waypoints[segment + 1]];
    return from + (along - segment) * (to - from);
  }

  along(sample) {
    return between(this.alongs, sample);
  }

  x(sample) {
    return between(this.xs, sample);
  }

  // The later of several samples where time stands still.
  sampleAtX(x) {
    const { xs, last } = this;
    if (!(x > xs[0])) return 0;
    if (x >= xs[last]) return last;
    const after = firstAbove(xs, x);
    const [from, to] = [xs[after - 1], xs[after]];
    const share = to > from ? (x - from) / (to - from) : 0;
    return after - 1 + (this.isStepped ? Math.round(share) : share);
  }

  // Segment and t, as the library says them.
  place(sample) {
    const along = this.along(sample);
    const segment = Math.min(Math.floor(along), this.waypoints.length - 2);
    return { segment, t: along - segment };
  }
}

// The value between two neighbours of an array.
export function between(values, at) {
  const i = Math.min(Math.max(Math.floor(at), 0), values.length - 1);
  const next = Math.min(i + 1, values.length - 1);
  return values[i] + (at - i) * (values[next] - values[i]);
}

// The first number of a sorted array that is above x; its length where none is.
export function firstAbove(values, x) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The stretch that a place is in: `until` says where each ends.
export function stretchAt(until, along) {
  let [low, high] = [0, until.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (until[middle] >= along) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, until.length - 1);
}

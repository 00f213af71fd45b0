// Numbers for people. A proven bound is rounded down, a measured one up, so that what is read is still true.

const unit = (metres) => (Math.abs(metres) < 1 ? [1e3, "mm"] : [1, "m"]);

function rounded(metres, round) {
  const [scale, name] = unit(metres);
  const digits = name === "mm" ? 2 : 3;
  const power = 10 ** digits;
  return `${round(metres * scale * power) / power + 0} ${name}`;
}

export const atLeast = (metres) => rounded(metres, Math.floor);
export const atMost = (metres) => rounded(metres, Math.ceil);

// For marks on an axis.
export function short(metres) {
  if (metres === 0) return "0";
  const [scale, name] = unit(metres);
  return `${Number((metres * scale).toPrecision(3))} ${name}`;
}

// Seconds, as the others are metres.
export const shortSeconds = (value) => (value === 0 ? "0" : `${Number(value.toPrecision(3))} s`);
export const secondsAtLeast = (value) => `${Math.floor(value * 100) / 100} s`;
export const secondsAtMost = (value) => `${Math.ceil(value * 100) / 100} s`;

export const seconds = (value) => `${value.toFixed(value < 100 ? 2 : 1)} s`;

// Square roots spread what is near, which is what matters; the sign stays.
export const bent = (metres) => Math.sign(metres) * Math.sqrt(Math.abs(metres));

// Marks of the axis of distances: round ones, far enough apart.
export function marks(low, high, count) {
  const candidates = [0];
  for (let power = -4; power <= 4; power++) {
    for (const digit of [1, 2, 5]) candidates.push(digit * 10 ** power, -digit * 10 ** power);
  }
  const apart = (bent(high) - bent(low)) / count;
  const chosen = [];
  for (const mark of candidates.filter((value) => value >= low && value <= high).sort((a, b) => b - a)) {
    const clashes = chosen.some((other) => Math.abs(bent(other) - bent(mark)) < apart);
    if (mark === 0) {
      // Contact is always marked: others give way.
      for (let i = chosen.length - 1; i >= 0; i--) if (Math.abs(bent(chosen[i])) < apart) chosen.splice(i, 1);
      chosen.push(0);
    } else if (!clashes) chosen.push(mark);
  }
  return chosen;
}

// Steps of 1, 2 or 5 so that at most `count` of them cover a length.
export function niceStep(length, count) {
  const raw = length / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= raw * (1 - 1e-9));
}

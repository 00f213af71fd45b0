// Reads what the program put into the page: words and numbers as JSON, long arrays in one compressed block.

const ARRAYS = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u16: Uint16Array };

export async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// An array where it lies: [type, first byte, count].
export function view(buffer, [type, start, count]) {
  return new ARRAYS[type](buffer, start, count);
}

// Every number was written as the difference from the one before, in as many bits as it has.
export function summed(differences, start = 0, count = differences.length) {
  const sums = differences.slice(start, start + count);
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}

// Corners in metres, x y z in turn.
export function corners(body, differences) {
  const count = differences.length / 3;
  const axes = [0, 1, 2].map((axis) => summed(differences, axis * count, count));
  const positions = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) positions[3 * i + axis] = body.origin[axis] + body.step * axes[axis][i];
  }
  return positions;
}

// The pose of a link at a sample: position and quaternion, straight between two samples.
export function poseAt(track, link, sample, pose) {
  const { poses, places } = track;
  const i = Math.min(Math.max(Math.floor(sample), 0), places - 1);
  const [next, share] = [Math.min(i + 1, places - 1), sample - i];
  const first = 7 * link * places;
  let [dot, length] = [0, 0];
  for (let k = 3; k < 7; k++) dot += poses[first + k * places + i] * poses[first + k * places + next];
  for (let k = 0; k < 7; k++) {
    const [a, b] = [poses[first + k * places + i], poses[first + k * places + next]];
    // The two quaternions of a rotation are one: the short way round.
    pose[k] = a + share * ((k >= 3 && dot < 0 ? -b : b) - a);
    if (k >= 3) length += pose[k] * pose[k];
  }
  for (let k = 3; k < 7; k++) pose[k] /= Math.sqrt(length);
  return pose;
}

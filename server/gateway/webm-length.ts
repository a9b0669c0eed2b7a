/**
 * How long a WebM is that says nothing of it, as browsers' recorders write it: when its last block begins. Their
 * clusters follow each other to the end, and each names the time of its beginning.
 */

/** Identifiers of EBML (RFC 9559), with their length marks. */
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

/** A cluster's times are in milliseconds, unless a file says otherwise, which no recorder does. */
const MS = 1_000;

type Size = { value: number; next: number };

/** A number of one to eight bytes, whose first says how many. null: it is cut off. */
function readSize(bytes: Buffer, at: number): Size | null {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > bytes.byteLength) {
    return null;
  }
  const mark = 2 ** (8 - length);
  const rest = bytes.subarray(at + 1, at + length);
  return { value: rest.reduce((sum, byte) => sum * 256 + byte, first - mark), next: at + length };
}

/** The last time in a cluster whose elements begin at `from`, in ms. null: it is none. */
function lastTime(bytes: Buffer, from: number): number | null {
  let start: number | null = null;
  let last = 0;
  for (let at = from; at < bytes.byteLength; ) {
    const id = bytes[at];
    const size = readSize(bytes, at + 1);
    const isOneByte = id !== undefined && id >= 0x80;
    if (size === null || !isOneByte || (id !== TIMESTAMP && start === null)) {
      break;
    }
    const { value, next } = size;
    if (id === TIMESTAMP && value >= 1 && value <= 6 && next + value <= bytes.byteLength) {
      start = bytes.readUIntBE(next, value);
    } else if (id === SIMPLE_BLOCK || id === BLOCK) {
      const track = readSize(bytes, next);
      if (track !== null && track.next + 2 <= bytes.byteLength) {
        last = Math.max(last, bytes.readInt16BE(track.next));
      }
    }
    // A group's block is looked at like one of the cluster's own.
    at = id === BLOCK_GROUP ? next : next + value;
  }
  return start === null ? null : start + last;
}

/** In seconds. null: it is no such file. */
export function lengthOfRecording(file: Uint8Array): number | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const at = bytes.lastIndexOf(CLUSTER);
  const size = at < 0 ? null : readSize(bytes, at + CLUSTER.byteLength);
  const ms = size && lastTime(bytes, size.next);
  return ms === null ? null : ms / MS;
}

/**
 * WebM and Matroska, as browsers' recorders write them: without a length, in clusters that each name their start time,
 * with blocks of one packet or several.
 */
import { byteAt, u32be } from "./bytes";
import { type Length, mostOf } from "./length";
import { MOST_OPUS_MS, opusMs } from "./opus";

/** Identifiers of EBML (RFC 9559), with their length marks. */
const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const NUMBER = 0xd7;
const CODEC = 0x86;
const ENCODINGS = 0x6d80;
const CLUSTER = 0x1f43b675;
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

/** Elements whose content is read. */
const OPENED = new Set([SEGMENT, INFO, TRACKS, TRACK, CLUSTER, BLOCK_GROUP]);

type Size = { value: number; next: number };

/**
 * A number of one to eight bytes; the first byte gives the length. null: there is none. `isId`: keeps the length mark.
 */
function readNumber(bytes: Buffer, at: number, isId: boolean): Size | null {
  const first = byteAt(bytes, at);
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > bytes.byteLength || (isId && length > 4)) {
    return null;
  }
  let value = isId ? first : first - 2 ** (8 - length);
  for (let each = 1; each < length; each++) {
    value = value * 256 + byteAt(bytes, at + each);
  }
  return { value, next: at + length };
}

const unsigned = (bytes: Buffer, at: number, size: number) =>
  size >= 1 && size <= 6 && at + size <= bytes.byteLength ? bytes.readUIntBE(at, size) : 0;

function float(bytes: Buffer, at: number, size: number): number {
  if ((size !== 4 && size !== 8) || at + size > bytes.byteLength) {
    return 0;
  }
  const value = size === 4 ? bytes.readFloatBE(at) : bytes.readDoubleBE(at);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

type WebmScan = {
  /** Nanoseconds per unit of time. */
  scale: number;
  duration: number;
  cluster: number;
  last: number;
  track: number;
  opus: Set<number>;
  /** Whether there is audio of other codecs. */
  hasOther: boolean;
  /** Whether blocks are compressed, so that their packets cannot be read. */
  isPacked: boolean;
  /** Milliseconds in all Opus blocks. */
  played: number;
};

function addBlock(bytes: Buffer, scan: WebmScan, { from, to }: { from: number; to: number }): void {
  const track = readNumber(bytes, from, false);
  if (track === null || track.next + 3 > to) {
    return;
  }
  const offset = bytes.readInt16BE(track.next);
  scan.last = Math.max(scan.last, scan.cluster + offset);
  if (!scan.opus.has(track.value)) {
    return;
  }
  const isLaced = (byteAt(bytes, track.next + 2) & 6) !== 0;
  const at = track.next + 3;
  const maxMs = (isLaced ? byteAt(bytes, at) + 1 : 1) * MOST_OPUS_MS;
  const ms = isLaced || scan.isPacked ? maxMs : opusMs(bytes, at, to - at);
  scan.played += ms;
}

function addCodec(scan: WebmScan, codec: string): void {
  if (codec === "A_OPUS") {
    scan.opus.add(scan.track);
  } else {
    scan.hasOther ||= codec.startsWith("A_");
  }
}

type Element = { id: number; from: number; to: number };

function read(bytes: Buffer, scan: WebmScan, { id, from, to }: Element): void {
  const size = to - from;
  switch (id) {
    case SCALE:
      scan.scale = unsigned(bytes, from, size) || scan.scale;
      break;
    case DURATION:
      scan.duration = Math.max(scan.duration, float(bytes, from, size));
      break;
    case NUMBER:
      scan.track = unsigned(bytes, from, size);
      break;
    case ENCODINGS:
      scan.isPacked = true;
      break;
    case CODEC:
      addCodec(scan, bytes.toString("latin1", from, Math.min(to, from + 6)));
      break;
    case TIMESTAMP:
      scan.cluster = unsigned(bytes, from, size);
      break;
    case SIMPLE_BLOCK:
    case BLOCK:
      addBlock(bytes, scan, { from, to });
      break;
    default:
  }
}

/** null: not such a file, or there is nothing in it. */
export function lengthOfWebm(bytes: Buffer): Length | null {
  if (u32be(bytes, 0) !== EBML) {
    return null;
  }
  const scan: WebmScan = {
    scale: 1_000_000,
    duration: 0,
    cluster: 0,
    last: 0,
    track: 0,
    opus: new Set(),
    hasOther: false,
    isPacked: false,
    played: 0,
  };
  for (let at = 0; at < bytes.byteLength; ) {
    const id = readNumber(bytes, at, true);
    const size = id && readNumber(bytes, id.next, false);
    if (id === null || size === null) {
      // Padding, or a cut element: continue at the next byte that may start an element.
      at++;
      continue;
    }
    const isOpened = OPENED.has(id.value);
    const to = Math.min(size.next + size.value, bytes.byteLength);
    if (!isOpened) {
      read(bytes, scan, { id: id.value, from: size.next, to });
    }
    at = isOpened ? size.next : to;
  }
  const ms = scan.scale / 1_000_000;
  const seconds = Math.max(scan.last * ms, scan.played) / 1_000;
  const otherLimit = scan.hasOther ? mostOf(bytes.byteLength) : 0;
  return { seconds, maxSeconds: Math.max(seconds, otherLimit, (scan.duration * ms) / 1_000) };
}

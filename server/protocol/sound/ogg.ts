import { byteAt, isAt, u32le } from "./bytes";
import { type Length, mostOf } from "./length";
import { opusMs } from "./opus";

const MAGIC = "OggS";
const OPUS_RATE = 48_000;

/** The limit of damaged pages, and of streams: above it a decoder's result is unpredictable. */
const MAX_DAMAGED = 1_000;

/** The checksum of pages: CRC-32, most significant bit first. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) {
    sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1;
  }
  return sum >>> 0;
});

/** The checksum's own bytes count as 0. */
function isIntact(bytes: Buffer, from: number, to: number): boolean {
  let sum = 0;
  for (let at = from; at < to; at++) {
    const byte = at >= from + 22 && at < from + 26 ? 0 : byteAt(bytes, at);
    sum = ((sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0)) >>> 0;
  }
  return to <= bytes.byteLength && sum === u32le(bytes, from + 22);
}

type Codec = {
  /** Packets before those with audio. */
  headers: number;
  /** Samples per second, in which positions are counted. */
  rate: number;
  /** The least and the most seconds of a packet that starts here. */
  packet: (at: number, size: number) => { minSeconds: number; maxSeconds: number };
};

/** A packet of known length. */
const always = (seconds: number) => ({ minSeconds: seconds, maxSeconds: seconds });

/** The codec, by a stream's first packet. null: unknown. */
function codecAt(bytes: Buffer, at: number): Codec | null {
  if (isAt(bytes, at, "OpusHead")) {
    return { headers: 2, rate: OPUS_RATE, packet: (from, size) => always(opusMs(bytes, from, size) / 1_000) };
  }
  if (isAt(bytes, at, "\x01vorbis")) {
    const rate = Math.max(1, u32le(bytes, at + 12));
    const sizes = byteAt(bytes, at + 28);
    const [short, long] = [2 ** (sizes & 15), 2 ** (sizes >> 4)];
    // Each block overlaps the next by half. Only a decoder can tell which of the two sizes a block has.
    return {
      headers: 3,
      rate,
      packet: () => ({ minSeconds: short / 2 / rate, maxSeconds: long / 2 / rate }),
    };
  }
  if (isAt(bytes, at, "Speex   ")) {
    const rate = Math.max(1, u32le(bytes, at + 36));
    const samples = u32le(bytes, at + 56) * Math.max(1, u32le(bytes, at + 64));
    return { headers: 2, rate, packet: () => always(samples / rate) };
  }
  return null;
}

type Stream = {
  codec: Codec | null;
  packets: number;
  minSeconds: number;
  maxSeconds: number;
  position: number;
};

const open = (codec: Codec | null): Stream => ({
  codec,
  packets: 0,
  minSeconds: 0,
  maxSeconds: 0,
  position: 0,
});

/** Adds a page's packets to its stream. A packet that continues from the previous page was counted there. */
function addPage(bytes: Buffer, at: number, stream: Stream): void {
  const lacing = bytes.subarray(at + 27, at + 27 + byteAt(bytes, at + 26));
  let from = at + 27 + lacing.byteLength;
  let size = 0;
  let isBegun = (byteAt(bytes, at + 5) & 1) === 1;
  for (const segment of lacing) {
    size += segment;
    if (!isBegun) {
      stream.packets += 1;
    }
    if (!isBegun && stream.codec && stream.packets > stream.codec.headers) {
      const { minSeconds, maxSeconds } = stream.codec.packet(from, segment);
      stream.minSeconds += minSeconds;
      stream.maxSeconds += maxSeconds;
    }
    isBegun = segment === 255;
    if (!isBegun) {
      from += size;
      size = 0;
    }
  }
  // All ones: no packet ends on this page.
  const [low, high] = [u32le(bytes, at + 6), u32le(bytes, at + 10)];
  const position = high >= 2 ** 31 ? 0 : high * 2 ** 32 + low;
  stream.position = Math.max(stream.position, position);
}

const secondsOf = ({ codec, minSeconds, maxSeconds, position }: Stream): Length => {
  const duration = position / (codec?.rate ?? OPUS_RATE);
  return {
    seconds: Math.min(Math.max(duration, minSeconds), maxSeconds),
    maxSeconds: Math.max(duration, maxSeconds),
  };
};

/** Ogg: adds up the packets of its streams, whatever positions they state. null: no stream of a known codec. */
export function lengthOfOgg(bytes: Buffer): Length | null {
  const streams: Stream[] = [];
  const current = new Map<number, Stream>();
  let damaged = 0;
  for (let at = isAt(bytes, 0, MAGIC) ? 0 : -1; at >= 0; ) {
    const content = at + 27 + byteAt(bytes, at + 26);
    const serial = u32le(bytes, at + 14);
    const isFirst = (byteAt(bytes, at + 5) & 2) === 2;
    let stream = isFirst ? undefined : current.get(serial);
    if (stream === undefined) {
      stream = open(codecAt(bytes, content));
      streams.push(stream);
      current.set(serial, stream);
    }
    addPage(bytes, at, stream);
    const size = bytes.subarray(at + 27, content).reduce((sum, segment) => sum + segment, 0);
    const next = content + size;
    // Some decoders drop a damaged page, and search for the next one inside it.
    const isWhole = isIntact(bytes, at, next);
    damaged += isWhole ? 0 : 1;
    if (damaged > MAX_DAMAGED || streams.length > MAX_DAMAGED) {
      return { seconds: mostOf(bytes.byteLength), maxSeconds: Number.POSITIVE_INFINITY };
    }
    const from = isWhole ? next : at + MAGIC.length;
    at = isAt(bytes, from, MAGIC) ? from : bytes.indexOf(MAGIC, from, "latin1");
  }
  const lengths = streams.filter(({ codec }) => codec !== null).map(secondsOf);
  const sum = (measure: (length: Length) => number) => lengths.reduce((all, each) => all + measure(each), 0);
  return lengths.length === 0
    ? null
    : { seconds: sum((each) => each.seconds), maxSeconds: sum((each) => each.maxSeconds) };
}

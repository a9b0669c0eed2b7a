/** Silent sound files in the formats that vendors accept, as small as possible for their length. */

const uint32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, 4 * index);
  });
  return bytes;
};

const repeated = (piece: Buffer, count: number): Buffer => Buffer.alloc(piece.byteLength * count, piece);

/** Frames of 72 ms in 72 bytes (8 kbit/s, 8 kHz). `claimedFrames`: the number of frames that the first one claims. */
export function mp3Of(
  seconds: number,
  { claimedFrames }: { claimedFrames?: number } = {},
): Buffer<ArrayBuffer> {
  const frame = Buffer.alloc(72, 0);
  frame.set([0xff, 0xe3, 0x18, 0xc4]);
  const info = Buffer.from(frame);
  if (claimedFrames !== undefined) {
    info.write("Info", 13, "latin1");
    info.set(uint32(1, claimedFrames), 17);
  }
  return Buffer.concat([
    ...(claimedFrames === undefined ? [] : [info]),
    repeated(frame, Math.round(seconds / 0.072)),
  ]);
}

/** An ID3 tag of this size, which precedes a file. */
export function id3Of(size: number): Buffer {
  const tag = Buffer.alloc(10 + size, 1);
  tag.write("ID3\x03\0\0", "latin1");
  tag.set(
    [21, 14, 7, 0].map((shift) => (size >> shift) & 127),
    6,
  );
  return tag;
}

/** AAC in empty frames of 128 ms (8 kHz). */
export const aacOf = (seconds: number): Buffer =>
  repeated(Buffer.from([0xff, 0xf1, 0x6c, 0x40, 0x01, 0x1f, 0xfc, 0]), Math.round(seconds / 0.128));

function crc8(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = sum & 0x80 ? ((sum << 1) ^ 7) & 0xff : sum << 1;
    }
  }
  return sum;
}

/** FLAC in frames of 4,096 samples at 8 kHz, a few bytes each. `sampleCount`: the samples that its header claims. */
export function flacOf(seconds: number, sampleCount = Math.round(seconds * 8_000)): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4_096, 0);
  info.writeUInt16BE(4_096, 2);
  info.writeUInt32BE((8_000 << 12) | (15 << 4), 10);
  info.writeUInt32BE(sampleCount, 14);
  const frames = Array.from({ length: Math.round((seconds * 8_000) / 4_096) }, (_, index) => {
    const head = Buffer.from([0xff, 0xf8, 0xc4, 0x08, index & 0x7f]);
    return Buffer.concat([head, Buffer.from([crc8(head), 0, 0, 0, 0, 0])]);
  });
  return Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x80, 0, 0, 34]), info, ...frames]);
}

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) {
    sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1;
  }
  return sum >>> 0;
});

type OggPage = { position: number; flags?: number; packets: Buffer[]; isDamaged?: boolean };

function pageOf({ position, flags = 0, packets, isDamaged = false }: OggPage): Buffer {
  const page = Buffer.alloc(27 + packets.length);
  page.write("OggS", "latin1");
  page[5] = flags;
  page.writeBigInt64LE(BigInt(position), 6);
  page.writeUInt32LE(7, 14);
  page[26] = packets.length;
  packets.forEach((packet, index) => {
    page[27 + index] = packet.byteLength;
  });
  const whole = Buffer.concat([page, ...packets]);
  let sum = 0;
  for (const byte of whole) {
    sum = ((sum << 8) ^ (crcTable[(sum >>> 24) ^ byte] ?? 0)) >>> 0;
  }
  whole.writeUInt32LE(isDamaged ? 1 : sum, 22);
  return whole;
}

/** Ogg with Opus packets of 60 ms in one byte. `position`: the length that its pages claim, in samples of 48 kHz. */
export function oggOf(
  seconds: number,
  { position = Math.round(seconds * 48_000), isDamaged = false } = {},
): Buffer {
  const head = Buffer.from("OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0", "latin1");
  const pages = [
    { position: 0, flags: 2, packets: [head] },
    { position: 0, packets: [Buffer.from("OpusTags\0\0\0\0\0\0\0\0", "latin1")] },
  ].map(pageOf);
  for (let left = Math.round(seconds / 0.06); left > 0; left -= 250) {
    const packets: Buffer[] = Array(Math.min(left, 250)).fill(Buffer.from([0x18]));
    pages.push(pageOf({ position, packets, isDamaged }));
  }
  return Buffer.concat(pages);
}

const box = (type: string, ...contents: Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([uint32(8 + content.byteLength), Buffer.from(type, "latin1"), content]);
};

/** A box that begins with a time scale and a duration, like `mvhd` and `mdhd`. */
const timed = (type: string, scale: number, duration: number) =>
  box(type, uint32(0, 0, 0, scale, duration), Buffer.alloc(8));

type Track = {
  samples: number;
  /** The length of a sample, in 8,000ths of a second. */
  step?: number;
  /** The seconds that its headers claim. */
  claimedSeconds?: number;
  /** The seconds of each part that its edit list plays. */
  edits?: number[];
  isInFragments?: boolean;
};

/** AAC at 8 kHz in an M4A whose samples are empty: it has no bytes of sound. */
export function m4aOf({
  samples,
  step = 1_024,
  claimedSeconds = 0,
  edits = [],
  isInFragments = false,
}: Track): Buffer {
  const settings = Buffer.from([
    3, 25, 0, 0, 0, 4, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0x15, 0x88,
  ]);
  const sound = Buffer.alloc(28);
  sound.writeUInt32BE(8_000 * 2 ** 16, 24);
  const stsd = box("stsd", uint32(0, 1), box("mp4a", sound, box("esds", uint32(0), settings)));
  const counted = isInFragments ? 0 : samples;
  const tables = [
    stsd,
    box("stts", uint32(0, 1, counted, step)),
    box("stsz", uint32(0, 8, counted)),
    box("stsc", uint32(0, 0)),
  ];
  const list = edits.flatMap((seconds) => [seconds * 1_000, 0, 2 ** 16]);
  const track = box(
    "trak",
    box("tkhd", uint32(0, 0, 0, 1, 0, 0)),
    ...(edits.length > 0 ? [box("edts", box("elst", uint32(0, edits.length, ...list)))] : []),
    box(
      "mdia",
      timed("mdhd", 8_000, claimedSeconds * 8_000),
      box("hdlr", uint32(0, 0), Buffer.from("soun"), Buffer.alloc(13)),
      box("minf", box("stbl", ...tables)),
    ),
  );
  const movie = box("moov", timed("mvhd", 1_000, claimedSeconds * 1_000), track);
  const fragment = box("moof", box("traf", box("tfhd", uint32(8, 1, step)), box("trun", uint32(0, samples))));
  return Buffer.concat([
    box("ftyp", Buffer.from("M4A \0\0\0\0")),
    movie,
    ...(isInFragments ? [fragment] : []),
    box("mdat", Buffer.alloc(8)),
  ]);
}

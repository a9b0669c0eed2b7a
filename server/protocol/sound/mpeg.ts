/** MP3 and the other MPEG audio layers, and AAC in frames with headers (ADTS): both are frames in a row. */
import { byteAt, isAt, placeOf, u32be } from "./bytes";
import type { Length } from "./length";

type AudioFrame = { bytes: number; seconds: number };

/** Bit rates in kbit/s, by layer: of MPEG 1, then of the others. */
const RATES_1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const RATES_2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const SAMPLES_A_SECOND = [44_100, 48_000, 32_000];
/** The divisors of the sample rate for MPEG 2.5, none, MPEG 2 and MPEG 1. */
const DIVISORS = [4, 1, 2, 1];
/** Samples per frame, by layer. */
const SAMPLES = [384, 1_152, 1_152];
export const LEAST_AAC_RATE = 7_350;
const AAC_RATES = [
  96_000,
  88_200,
  64_000,
  48_000,
  44_100,
  32_000,
  24_000,
  22_050,
  16_000,
  12_000,
  11_025,
  8_000,
  LEAST_AAC_RATE,
];
/** The sample rate for an index in AAC's headers. null: undefined. */
export const aacRate = (index: number): number | null => AAC_RATES[index] ?? null;

/** Samples in an AAC frame. */
export const AAC_SAMPLES = 1_024;

function aacFrame(bytes: Buffer, at: number): AudioFrame | null {
  const rate = aacRate((byteAt(bytes, at + 2) >> 2) & 15);
  const size =
    ((byteAt(bytes, at + 3) & 3) << 11) | (byteAt(bytes, at + 4) << 3) | (byteAt(bytes, at + 5) >> 5);
  const blocks = (byteAt(bytes, at + 6) & 3) + 1;
  return rate === null || size < 7 ? null : { bytes: size, seconds: (blocks * AAC_SAMPLES) / rate };
}

/** The frame that starts here. null: there is none. */
function frameAt(bytes: Buffer, at: number): AudioFrame | null {
  const second = byteAt(bytes, at + 1);
  if (byteAt(bytes, at) !== 0xff || (second & 0xe0) !== 0xe0) {
    return null;
  }
  // 0: MPEG 2.5, 1: none, 2: MPEG 2, 3: MPEG 1.
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  if (layer === 4) {
    return (second & 0xf0) === 0xf0 ? aacFrame(bytes, at) : null;
  }
  const third = byteAt(bytes, at + 2);
  const base = SAMPLES_A_SECOND[(third >> 2) & 3];
  if (version === 1 || base === undefined || third >> 4 === 15) {
    return null;
  }
  const rate = base / (DIVISORS[version] ?? 1);
  const samples = layer === 3 && version !== 3 ? 576 : (SAMPLES[layer - 1] ?? 0);
  const seconds = samples / rate;
  const kbits = (version === 3 ? RATES_1 : RATES_2)[layer - 1]?.[(third >> 4) - 1];
  // With a free bit rate, the start of the next frame is unknown.
  if (kbits === undefined) {
    return { bytes: 4, seconds };
  }
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((seconds * kbits * 125) / slot) + ((third >> 1) & 1);
  return { bytes: slots * slot, seconds };
}

/** The start of the audio, after metadata (ID3) and padding. */
export function contentFrom(bytes: Buffer): number {
  let at = 0;
  while (isAt(bytes, at, "ID3")) {
    let size = 0;
    for (let each = 6; each < 10; each++) {
      size = size * 128 + (byteAt(bytes, at + each) & 127);
    }
    at += 10 + size + (byteAt(bytes, at + 5) & 0x10 ? 10 : 0);
  }
  while (bytes[at] === 0) {
    at++;
  }
  return at;
}

/** The number of frames that a file's first frame states. null: none. */
function saidFrames(bytes: Buffer, first: number): number | null {
  const at = [13, 21, 36]
    .map((behind) => first + behind)
    .find((each) => isAt(bytes, each, "Xing") || isAt(bytes, each, "Info"));
  return at === undefined || (byteAt(bytes, at + 7) & 1) === 0 ? null : u32be(bytes, at + 8);
}

/** The seconds of all frames, whatever lies between them. */
export function lengthOfFrames(bytes: Buffer): number {
  let seconds = 0;
  for (let at = placeOf(bytes, 0xff, 0); at + 4 <= bytes.byteLength; ) {
    const frame = frameAt(bytes, at);
    seconds += frame?.seconds ?? 0;
    at = placeOf(bytes, 0xff, at + (frame?.bytes ?? 1));
  }
  return seconds;
}

/** null: it does not start with a frame. */
export function lengthOfMpeg(bytes: Buffer): Length | null {
  const first = contentFrom(bytes);
  const frame = frameAt(bytes, first);
  if (frame === null) {
    return null;
  }
  const frameCount = saidFrames(bytes, first);
  // The frame that states the number is silence, which no decoder plays.
  const seconds = lengthOfFrames(bytes.subarray(frameCount === null ? first : first + frame.bytes));
  return { seconds, maxSeconds: Math.max(seconds, (frameCount ?? 0) * frame.seconds) };
}

import { byteAt, isAt, placeOf, u16be, u32be } from "./bytes";
import type { Length } from "./length";
import { contentFrom } from "./mpeg";

const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Extra bytes after a frame's number, by its code for the size and for the rate. */
const SIZE_BYTES = [0, 0, 0, 0, 0, 0, 1, 2];
const RATE_BYTES = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2];

const table = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) {
    sum = sum & 0x80 ? (sum << 1) ^ 0x07 : sum << 1;
  }
  return sum & 0xff;
});

function isIntact(bytes: Buffer, from: number, to: number): boolean {
  let sum = 0;
  for (let at = from; at < to; at++) {
    sum = table[sum ^ byteAt(bytes, at)] ?? 0;
  }
  return sum === bytes[to];
}

function samplesOf(code: number, coded: number): number {
  if (code < 6) {
    return code === 1 ? 192 : 576 << (code - 2);
  }
  return code < 8 ? coded + 1 : 256 << (code - 8);
}

/** The seconds of the frame whose header starts here (RFC 9639, 9.1). null: there is none. */
function frameAt(bytes: Buffer, at: number, usualRate: number): number | null {
  const third = byteAt(bytes, at + 2);
  const size = third >> 4;
  const rateCode = third & 15;
  const isHeader = (byteAt(bytes, at + 1) & 0xfe) === 0xf8 && (byteAt(bytes, at + 3) & 1) === 0;
  if (!isHeader || size === 0 || rateCode === 15) {
    return null;
  }
  const sizeAt = at + 4 + Math.max(1, Math.clz32(~(byteAt(bytes, at + 4) << 24)));
  const rateAt = sizeAt + (SIZE_BYTES[size] ?? 0);
  const end = rateAt + (RATE_BYTES[rateCode] ?? 0);
  if (!isIntact(bytes, at, end)) {
    return null;
  }
  const samples = samplesOf(size, size === 6 ? byteAt(bytes, sizeAt) : u16be(bytes, sizeAt));
  const coded = {
    12: byteAt(bytes, rateAt) * 1_000,
    13: u16be(bytes, rateAt),
    14: u16be(bytes, rateAt) * 10,
  }[rateCode];
  const rates = [RATES[rateCode] ?? coded ?? 0, usualRate].filter((rate) => rate > 0);
  return rates.length === 0 ? null : samples / Math.min(...rates);
}

/** FLAC: adds up its frames, each of which may hold hours of silence in a few bytes. null: not FLAC. */
export function lengthOfFlac(bytes: Buffer): Length | null {
  const from = contentFrom(bytes);
  if (!isAt(bytes, from, "fLaC")) {
    return null;
  }
  const rate = u32be(bytes, from + 18) >>> 12;
  const samples = (byteAt(bytes, from + 21) & 15) * 2 ** 32 + u32be(bytes, from + 22);
  let at = from + 4;
  for (let isLast = false; !isLast && at < bytes.byteLength; ) {
    isLast = byteAt(bytes, at) >= 0x80;
    at += 4 + (u32be(bytes, at) & 0xff_ffff);
  }
  let seconds = 0;
  for (at = placeOf(bytes, 0xff, at); at < bytes.byteLength; at = placeOf(bytes, 0xff, at + 1)) {
    seconds += frameAt(bytes, at, rate) ?? 0;
  }
  return { seconds, maxSeconds: Math.max(seconds, rate > 0 ? samples / rate : 0) };
}

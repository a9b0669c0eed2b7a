import { isAt, u16le, u32le } from "./bytes";
import type { Length } from "./length";
import { lengthOfFrames } from "./mpeg";

const PCM = [1, 3];
/** A-law and mu-law. */
const BYTES = [6, 7];
const ADPCM = [2, 0x11];
const MP3 = 0x55;
const EXTENSIBLE = 0xfffe;

const tagOf = (format: Buffer) => u16le(format, u16le(format, 0) === EXTENSIBLE ? 24 : 0);

/** Bits of a sample. 0: the codec has no fixed sample size. */
function bitsOf(format: Buffer): number {
  const tag = tagOf(format);
  const bits = u16le(format, 14);
  if (BYTES.includes(tag)) {
    return 8;
  }
  if (ADPCM.includes(tag)) {
    return Math.min(bits || 4, 4);
  }
  return PCM.includes(tag) ? bits : 0;
}

/** null: the codec has no fixed sample size. */
function secondsIn(format: Buffer, size: number): number | null {
  const bitsASecond = u16le(format, 2) * u32le(format, 4) * bitsOf(format);
  return bitsASecond > 0 ? (size * 8) / bitsASecond : null;
}

/** WAV: counts the bytes of its samples, wherever they are. null: not WAV, or not measurable. */
export function lengthOfWave(bytes: Buffer): Length | null {
  if (!/^(?:RIFF|RF64|BW64)$/.test(bytes.toString("latin1", 0, 4)) || !isAt(bytes, 8, "WAVE")) {
    return null;
  }
  let format = bytes.subarray(0, 0);
  let seconds = 0;
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const rest = bytes.byteLength - at - 8;
    const chunkSize = u32le(bytes, at + 4);
    if (isAt(bytes, at, "fmt ")) {
      format = bytes.subarray(at + 8, at + 8 + chunkSize);
    }
    if (isAt(bytes, at, "data")) {
      // A recorder that could not seek back leaves the size open.
      const size = chunkSize === 0 || chunkSize > rest ? rest : chunkSize;
      const content = bytes.subarray(at + 8, at + 8 + size);
      const more = tagOf(format) === MP3 ? lengthOfFrames(content) : secondsIn(format, size);
      if (more === null) {
        return null;
      }
      seconds += more;
      at += chunkSize === 0 ? rest : 0;
    }
    at += 8 + chunkSize + (chunkSize % 2);
  }
  return { seconds, maxSeconds: seconds };
}

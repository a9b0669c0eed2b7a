/**
 * Vectors as base64: the float32 values one after the other, little-endian, in the standard alphabet with padding.
 * Byte order is the machine's here: Node runs on little-endian machines only.
 */

/** As OpenAI's SDKs decode it. Values beyond float32 lose what float32 cannot hold. */
export function encodeFloats(values: ArrayLike<number>): string {
  const { buffer, byteOffset, byteLength } = Float32Array.from(values);
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** No vector of a real model has such a component; bytes that are no float32 read as one soon do. */
const IMPLAUSIBLE = 1e12;

/** How many of the values no model puts out. NaN fails the comparison. */
function countImplausible(values: Float32Array): number {
  let found = 0;
  for (const value of values) {
    found += Math.abs(value) < IMPLAUSIBLE ? 0 : 1;
  }
  return found;
}

/** Fewer than this say too little about what they are. */
const MIN_TELLING_BYTES = 128;

/**
 * Older vLLM sends float64 (`float32` values widened, so the low 29 bits of each are zero). Read as float32, every
 * second value would be 0 or a power of two and most others something else, which no model puts out.
 */
function areWidened(bytes: Uint8Array<ArrayBuffer>): boolean {
  if (bytes.length % 8 !== 0 || bytes.length < MIN_TELLING_BYTES) {
    return false;
  }
  const words = new Uint32Array(bytes.buffer);
  let values = 0;
  for (let low = 0; low < words.length; low += 2) {
    if (((words[low] ?? 0) & 0x1fffffff) !== 0) {
      return false;
    }
    values += words[low + 1] === 0 ? 0 : 1;
  }
  return values > words.length / 4;
}

/** What is known of a string of vector bytes beside the bytes. */
type Known = {
  /** The length of vector that the client named. null: it named none. */
  dimensions: number | null;
  /** It was asked for, so it is the dialect's base64; a vendor's own default may be anything. */
  isAsked: boolean;
};

/**
 * The vector in a base64 string; null when it is none. The string does not say what its numbers are, so in this order:
 * 1. float64 that was float32 before, told by its zero bits;
 * 2. float32, if every value is finite and of a size that models put out (of random bytes, one value in three is not);
 * 3. int8, all that Perplexity sends: if there are as many bytes as dimensions were named, or none were named and
 *    nobody asked for a string. Only now, because 384 float32 values are 1,536 bytes too. Where the dialect's base64
 *    was asked for, a damaged float32 vector must not pass for one: of int8, about half the values (the negative
 *    bytes) read as float32 that no model puts out, of a damaged vector a few or all.
 */
export function decodeVector(text: string, known: Known): ArrayLike<number> | null {
  const pooled = Buffer.from(text, "base64");
  // Decoding skips what is no base64, so the length tells.
  if (pooled.length === 0 || pooled.length !== Buffer.byteLength(text, "base64")) {
    return null;
  }
  // A copy begins at a multiple of 8; a Buffer begins anywhere in its pool.
  const bytes = new Uint8Array(pooled);
  if (areWidened(bytes)) {
    return new Float64Array(bytes.buffer);
  }
  const floats = bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : null;
  const implausible = floats ? countImplausible(floats) : 0;
  if (floats && implausible === 0) {
    return floats;
  }
  if (known.dimensions !== null) {
    return bytes.length === known.dimensions ? new Int8Array(bytes.buffer) : null;
  }
  const share = implausible / (bytes.length / 4);
  const isTelling = floats !== null && bytes.length >= MIN_TELLING_BYTES;
  return isTelling && (!known.isAsked || (share > 0.2 && share < 0.8)) ? new Int8Array(bytes.buffer) : null;
}

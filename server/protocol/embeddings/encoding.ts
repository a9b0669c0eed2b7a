/**
 * Vectors as base64: the float32 values one after the other, little-endian, in the standard alphabet with padding. The
 * code uses the machine's byte order: Node runs only on little-endian machines.
 */

/** Encodes for OpenAI's SDKs. Values beyond float32 lose the digits that float32 cannot hold. */
export function encodeFloats(values: ArrayLike<number>): string {
  const { buffer, byteOffset, byteLength } = Float32Array.from(values);
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** No vector of a real model has such a component; other bytes read as float32 soon give one. */
const IMPLAUSIBLE = 1e12;

/** Counts the values that no model produces. NaN fails the comparison. */
function countImplausible(values: Float32Array): number {
  let count = 0;
  for (const value of values) {
    count += Math.abs(value) < IMPLAUSIBLE ? 0 : 1;
  }
  return count;
}

/** Fewer bytes say too little about their type. */
const MIN_TELLING_BYTES = 128;

/**
 * Whether the bytes are float64. Older vLLM sends `float32` values widened to float64, so the low 29 bits of each are
 * zero. Read as float32, every second value would be 0 or a power of two and most others something else; no model
 * produces that.
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

/** The facts about a string of vector bytes. */
type Known = {
  /** The vector length that the client named. null: none. */
  dimensions: number | null;
  /** The client asked for base64, so it is the dialect's; a vendor's own default may be anything. */
  isAsked: boolean;
};

/**
 * Reads the vector in a base64 string. null: there is none. The string does not name its number type, so the order is:
 * 1. float64 that was float32 before, recognised by its zero bits;
 * 2. float32, if every value is finite and of a size that models produce (of random bytes, one value in three is not);
 * 3. int8, the only type that Perplexity sends: if there are as many bytes as the named dimensions, or none were named
 *    and the client asked for no string. This check comes last, because 384 float32 values are 1,536 bytes, too. If the
 *    client asked for the dialect's base64, a damaged float32 vector must not pass for int8: read as float32, about
 *    half the values of an int8 vector (the negative bytes) are implausible, but a few or all values of a damaged
 *    vector.
 */
export function decodeVector(text: string, facts: Known): ArrayLike<number> | null {
  const pooled = Buffer.from(text, "base64");
  // Decoding skips characters that are not base64, so the length reveals them.
  if (pooled.length === 0 || pooled.length !== Buffer.byteLength(text, "base64")) {
    return null;
  }
  // A copy starts at a multiple of 8; a Buffer starts anywhere in its pool.
  const bytes = new Uint8Array(pooled);
  if (areWidened(bytes)) {
    return new Float64Array(bytes.buffer);
  }
  const floats = bytes.length % 4 === 0 ? new Float32Array(bytes.buffer) : null;
  const implausible = floats ? countImplausible(floats) : 0;
  if (floats && implausible === 0) {
    return floats;
  }
  if (facts.dimensions !== null) {
    return bytes.length === facts.dimensions ? new Int8Array(bytes.buffer) : null;
  }
  const share = implausible / (bytes.length / 4);
  const isTelling = floats !== null && bytes.length >= MIN_TELLING_BYTES;
  return isTelling && (!facts.isAsked || (share > 0.2 && share < 0.8)) ? new Int8Array(bytes.buffer) : null;
}

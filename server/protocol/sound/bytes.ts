/** Read numbers from a file; bytes beyond its end read as 0. */
export const byteAt = (bytes: Buffer, at: number): number => bytes[at] ?? 0;

const has = (bytes: Buffer, at: number, count: number) => at >= 0 && at + count <= bytes.byteLength;

export const u16be = (bytes: Buffer, at: number): number => (has(bytes, at, 2) ? bytes.readUInt16BE(at) : 0);
export const u32be = (bytes: Buffer, at: number): number => (has(bytes, at, 4) ? bytes.readUInt32BE(at) : 0);
export const u16le = (bytes: Buffer, at: number): number => (has(bytes, at, 2) ? bytes.readUInt16LE(at) : 0);
export const u32le = (bytes: Buffer, at: number): number => (has(bytes, at, 4) ? bytes.readUInt32LE(at) : 0);

/** All ones read as 0: writers use them for an unknown number. */
export const u64be = (bytes: Buffer, at: number): number => {
  const [high, low] = [u32be(bytes, at), u32be(bytes, at + 4)];
  return high === 0xffff_ffff && low === 0xffff_ffff ? 0 : high * 2 ** 32 + low;
};

/**
 * The next position of a byte; the file's end if there is none. A loop: a library search for each would take longer.
 */
export function placeOf(bytes: Buffer, byte: number, from: number): number {
  let at = from;
  while (at < bytes.byteLength && bytes[at] !== byte) {
    at++;
  }
  return at;
}

/** Whether the bytes at this position are this text. */
export function isAt(bytes: Buffer, at: number, text: string): boolean {
  for (let each = 0; each < text.length; each++) {
    if (bytes[at + each] !== text.charCodeAt(each)) {
      return false;
    }
  }
  return true;
}

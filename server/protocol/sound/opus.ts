import { byteAt } from "./bytes";

/** The longest packet (RFC 6716). */
export const MOST_OPUS_MS = 120;

function frameMs(config: number): number {
  if (config < 12) {
    return [10, 20, 40, 60][config & 3] ?? 0;
  }
  return config < 16 ? ([10, 20][config & 1] ?? 0) : ([2.5, 5, 10, 20][config & 3] ?? 0);
}

/** The length of the Opus packet that starts here, in ms; 0 if it is empty. */
export function opusMs(bytes: Buffer, at: number, size: number): number {
  if (size === 0) {
    return 0;
  }
  const first = byteAt(bytes, at);
  const ms = frameMs(first >> 3);
  const frames = (first & 3) === 3 ? byteAt(bytes, at + 1) & 63 : Math.min((first & 3) + 1, 2);
  return Math.min(ms * frames, MOST_OPUS_MS);
}

import { lengthOfFlac } from "./flac";
import { type Length, mostOf } from "./length";
import { lengthOfMp4 } from "./mp4";
import { lengthOfMpeg } from "./mpeg";
import { lengthOfOgg } from "./ogg";
import { lengthOfWave } from "./wave";
import { lengthOfWebm } from "./webm";

/** `seconds`: null if the file cannot be measured; it is no longer than `maxSeconds`. */
export type SoundMeasure = Omit<Length, "seconds"> & { seconds: number | null };

/** Longer than any accepted file. */
const MOST_SECONDS = 1e7;

const readers = [lengthOfWave, lengthOfFlac, lengthOfOgg, lengthOfMp4, lengthOfWebm, lengthOfMpeg];

export const unmeasured = (bytes: number): SoundMeasure => ({ seconds: null, maxSeconds: mostOf(bytes) });

/** Measures the audio in a file, in linear time. */
export function measure(file: Uint8Array): SoundMeasure {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  for (const read of readers) {
    const length = read(bytes);
    if (length !== null && length.seconds > 0) {
      return {
        seconds: Math.min(length.seconds, MOST_SECONDS),
        maxSeconds: Math.min(length.maxSeconds, MOST_SECONDS),
      };
    }
  }
  return unmeasured(bytes.byteLength);
}

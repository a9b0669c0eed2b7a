import { parseBuffer } from "music-metadata";
import { lengthOfRecording } from "./webm-length";

/** Below it nobody codes speech: a file that says it is longer has a wrong header, as streams have that were cut. */
const LEAST_BYTES_A_SECOND = 100;

/** What the file's header or frames say. null: nothing that could be. */
async function said(file: Uint8Array): Promise<number | null> {
  // Frames are counted where no header says it.
  const { format } = await parseBuffer(file, undefined, { duration: true, skipCovers: true });
  const { duration, container, lossless, sampleRate, numberOfChannels, bitsPerSample } = format;
  // A recorder that could not go back leaves the size in its header open.
  const bytesASecond = ((sampleRate ?? 0) * (numberOfChannels ?? 0) * (bitsPerSample ?? 0)) / 8;
  if (container === "WAVE" && lossless && bytesASecond > 0) {
    return Math.min(duration ?? Number.POSITIVE_INFINITY, file.byteLength / bytesASecond);
  }
  return duration ?? null;
}

/** How long a file of sound or film is, in seconds. null: it does not say, or is none that anybody knows. */
export async function measure(file: Uint8Array): Promise<number | null> {
  const seconds = (await said(file).catch(() => null)) ?? lengthOfRecording(file);
  const isLikely =
    seconds !== null &&
    Number.isFinite(seconds) &&
    seconds > 0 &&
    seconds <= file.byteLength / LEAST_BYTES_A_SECOND;
  return isLikely ? seconds : null;
}

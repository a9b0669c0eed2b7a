/** Writes a transcript as subtitle files, byte for byte like the vendors' (OpenAI's, Whisper's own). */
import { isJsonObject } from "../fields";

export const subtitleFormats = ["srt", "vtt"] as const;
export type SubtitleFormat = (typeof subtitleFormats)[number];

type Segment = { start: number; end: number; text: string };

const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

const isSegment = (value: unknown): value is Segment =>
  isJsonObject(value) && isTime(value.start) && isTime(value.end) && typeof value.text === "string";

const padded = (value: number, length: number) => String(value).padStart(length, "0");

/** `01:02:03.004`, in seconds. */
function stamp(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1_000);
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((part) =>
    padded(Math.floor(part), 2),
  );
  return `${clock.join(":")}${mark}${padded(ms % 1_000, 3)}`;
}

/** An arrow in a text would look like the one between two times. */
const words = (text: string) => text.trim().replaceAll("-->", "->");

/** null: the answer has no times. */
export function subtitles(segments: unknown, format: SubtitleFormat): string | null {
  if (!Array.isArray(segments) || !segments.every(isSegment)) {
    return null;
  }
  const mark = format === "srt" ? "," : ".";
  const shown = segments.map(
    ({ start, end, text }, index) =>
      `${format === "srt" ? `${index + 1}\n` : ""}${stamp(start, mark)} --> ${stamp(end, mark)}\n${words(text)}\n\n`,
  );
  return format === "srt" ? `${shown.join("")}\n` : `WEBVTT\n\n${shown.join("")}`;
}

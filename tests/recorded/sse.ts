/** One server-sent event. `name`: the text of its `event:` line; null without one. */
export type SseFrame = { name: string | null; data: string };

/** The events of a stream that have data. Comments are not events. */
export function framesOf(text: string): SseFrame[] {
  const frames: SseFrame[] = [];
  for (const block of text.split(/\r\n\r\n|\n\n/)) {
    const lines = block.split(/\r?\n/);
    const fieldOf = (field: string) =>
      lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trim());
    const data = fieldOf("data");
    if (data.length > 0) {
      frames.push({ name: fieldOf("event")[0] ?? null, data: data.join("\n") });
    }
  }
  return frames;
}

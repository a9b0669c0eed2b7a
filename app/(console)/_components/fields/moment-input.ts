/** The value of a native input for a moment, in the reader's zone: `2026-05-01T09:30`. */
export function toInput(moment: Date | null): string {
  if (!moment) {
    return "";
  }
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The moment in a native input; null if its text is not a moment. */
export function fromInput(text: string): Date | null {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

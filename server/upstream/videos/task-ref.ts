/**
 * Whether a vendor's name for a task can be kept and asked for again: it stands in a row, in logs and, URL-encoded, as
 * one part of a path, where `.` and `..` would be another path.
 */
export const isTaskRef = (text: string): boolean =>
  /^[\x21-\x7e]{1,512}$/.test(text) && text !== "." && text !== "..";

/**
 * Whether a vendor's name for a task can be stored and used in a later request: it goes into a row, into logs and,
 * URL-encoded, into one part of a path, where `.` and `..` would be another path.
 */
export const isTaskRef = (text: string): boolean =>
  /^[\x21-\x7e]{1,512}$/.test(text) && text !== "." && text !== "..";

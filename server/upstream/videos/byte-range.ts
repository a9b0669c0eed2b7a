/**
 * The bytes, both ends included, that a `Range` header requests from a file of `size` bytes. "whole": no range, or a
 * form that may be ignored (several ranges, another unit). null: none of the file's bytes (416).
 */
export function readByteRange(
  header: string | null,
  size: number,
): { start: number; end: number } | "whole" | null {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) {
    return "whole";
  }
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) {
    return "whole";
  }
  return start <= end ? { start, end } : null;
}

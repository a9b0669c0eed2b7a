/** Where the parts of a multipart body lie in it. Nothing is copied: what goes on is cut out of the same bytes. */
import { readParameters } from "./parameters";

/** Offsets in the body: the header from `head`, the content from `start` to before `end`. */
export type Part = { name: string; isFile: boolean; head: number; start: number; end: number };

/** More fields than any endpoint has, with a picture or a name of a speaker each. */
const MAX_PARTS = 256;
const MAX_HEAD_BYTES = 8 * 1024;

/** Begins as no line between parts does. */
const HEADER = /^([a-z0-9][\w!#$%&'*+.^`|~-]*):[ \t]*([^\r\n\0]*)$/i;

/** What half of all parsers decode and the others do not may not stand there. */
const PLAIN_ENCODINGS = ["7bit", "8bit", "binary"];

/** Printable, and nothing that one parser takes for an escape. */
const NAME = /^[\x20-\x24\x26-\x5b\x5d-\x7e]{1,200}$/;

/** The name of a part, by its header. null: it has none that everybody reads alike. */
function readHead(head: string): Pick<Part, "name" | "isFile"> | null {
  const headers = new Map<string, string>();
  for (const line of head.split("\r\n")) {
    const [, name, value = ""] = HEADER.exec(line) ?? [];
    if (name === undefined || headers.has(name.toLowerCase())) {
      return null;
    }
    headers.set(name.toLowerCase(), value.trim());
  }
  const encoding = headers.get("content-transfer-encoding") ?? "binary";
  const disposition = readParameters(headers.get("content-disposition") ?? "");
  if (!PLAIN_ENCODINGS.includes(encoding.toLowerCase()) || disposition?.value !== "form-data") {
    return null;
  }
  const { parameters } = disposition;
  const name = parameters.get("name") ?? "";
  const isFile = parameters.has("filename") || parameters.has("filename*");
  return NAME.test(name) && !parameters.has("name*") ? { name, isFile } : null;
}

const CRLF = "\r\n";

/**
 * The parts of a body between lines of this boundary, as clients write it: strictly, so that no upstream can find other
 * parts in it than these. null: malformed, or too much. Reads each byte a bounded number of times.
 */
export function findParts(body: Buffer, boundary: string): Part[] | null {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, "latin1");
  const parts: Part[] = [];
  const isAt = (at: number, text: string) => body.toString("latin1", at, at + text.length) === text;
  // The first may stand at the very beginning, without the end of the line before.
  const opening = isAt(0, CRLF) ? 0 : -CRLF.length;
  let at = opening + delimiter.length;
  if (!isAt(opening + CRLF.length, `--${boundary}`)) {
    return null;
  }
  while (!isAt(at, "--")) {
    const head = at + CRLF.length;
    const headEnd = body.subarray(head, head + MAX_HEAD_BYTES).indexOf(`${CRLF}${CRLF}`, 0, "latin1");
    const read =
      isAt(at, CRLF) && headEnd > 0 ? readHead(body.toString("latin1", head, head + headEnd)) : null;
    const start = head + headEnd + 2 * CRLF.length;
    // A part may be written without a body, and without the line that would be empty: then this is the next one's.
    const isBodiless = isAt(start, `--${boundary}`);
    const end = read === null || isBodiless ? -1 : body.indexOf(delimiter, start);
    if (read === null || end < 0 || parts.length === MAX_PARTS) {
      return null;
    }
    parts.push({ ...read, head, start, end });
    at = end + delimiter.length;
  }
  const rest = body.byteLength - at - 2;
  return rest === 0 || (rest === CRLF.length && isAt(at + 2, CRLF)) ? parts : null;
}

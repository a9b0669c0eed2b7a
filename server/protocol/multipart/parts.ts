/** Where the parts of a multipart body lie in it. Nothing is copied: what goes on is cut out of the same bytes. */
import { readParameters } from "./parameters";

/** Offsets in the body: the header from `head`, the content from `start` to before `end`. */
export type Part = { name: string; isFile: boolean; head: number; start: number; end: number };

/** More fields than any endpoint has, with a picture or a name of a speaker each. */
const MAX_PARTS = 256;
const MAX_HEAD_BYTES = 8 * 1024;

/** Begins as no line between parts does, and has nothing that ends a line anywhere. */
const HEADER = /^([a-z0-9][\w!#$%&'*+.^`|~-]*):[ \t]*((?:(?!\x7f)[\t\x20-\xff])*)$/i;

/** What half of all parsers decode and the others do not may not stand there. */
const PLAIN_ENCODINGS = ["7bit", "8bit", "binary"];

/** Printable, and nothing that one parser takes for an escape, nor for a quotation mark (PHP's takes both). */
const NAME = /^[\x20-\x24\x28-\x5b\x5d-\x7e]{1,200}$/;

/** Of a file's name: to a parser that knows of no quotation marks, or looks for `name=` anywhere, it is the part's. */
const LOOKS_NAMED = /\bname[*\d]*[ \t]*=/i;

/** A parameter in pieces, or in another encoding (RFC 2231): Go puts it in the place of the one that has its name. */
const isOdd = ([key, value]: [string, string]) =>
  (key.includes("*") && key !== "filename*") || (key !== "name" && LOOKS_NAMED.test(value));

/** `length`: as the part itself says it, in bytes; some parsers go by it. */
type Head = Pick<Part, "name" | "isFile"> & { length: string | undefined };

/** The name of a part, by its header. null: it has none that everybody reads alike. */
function readHead(head: string): Head | null {
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
  // Parts of a part are fields to some, and its content to the others.
  const isNested = /^(?:multipart|message)\//i.test(headers.get("content-type") ?? "");
  const isPlain = PLAIN_ENCODINGS.includes(encoding.toLowerCase()) && !isNested;
  if (!isPlain || disposition?.value !== "form-data" || [...disposition.parameters].some(isOdd)) {
    return null;
  }
  const { parameters } = disposition;
  const name = parameters.get("name") ?? "";
  const isFile = parameters.has("filename") || parameters.has("filename*");
  return NAME.test(name) ? { name, isFile, length: headers.get("content-length") } : null;
}

const CRLF = "\r\n";

/**
 * The parts of a body between lines of this boundary, as clients write it: strictly, so that no upstream can find other
 * parts in it than these. null: malformed, or too much. Reads each byte a bounded number of times.
 */
export function findParts(body: Buffer, boundary: string): Part[] | null {
  const marker = Buffer.from(`--${boundary}`, "latin1");
  const parts: Part[] = [];
  const isAt = (at: number, text: string) => body.toString("latin1", at, at + text.length) === text;
  // The first may stand at the very beginning, without the end of the line before.
  const opening = isAt(0, CRLF) ? CRLF.length : 0;
  let at = opening + marker.byteLength;
  if (!isAt(opening, `--${boundary}`)) {
    return null;
  }
  while (!isAt(at, "--")) {
    const head = at + CRLF.length;
    const headEnd = body.subarray(head, head + MAX_HEAD_BYTES).indexOf(`${CRLF}${CRLF}`, 0, "latin1");
    const read =
      isAt(at, CRLF) && headEnd > 0 ? readHead(body.toString("latin1", head, head + headEnd)) : null;
    const start = head + headEnd + 2 * CRLF.length;
    // It may stand nowhere but on a line of its own: what follows a lone line feed is a part to PHP and Python. And a
    // part may be written without a body, and without the line that would be empty: then this is the next one's.
    const next = read === null ? -1 : body.indexOf(marker, start);
    const end = next - CRLF.length;
    if (read === null || end < start || !isAt(end, CRLF) || parts.length === MAX_PARTS) {
      return null;
    }
    const { length, ...known } = read;
    if (length !== undefined && length !== String(end - start)) {
      return null;
    }
    parts.push({ ...known, head, start, end });
    at = next + marker.byteLength;
  }
  const rest = body.byteLength - at - 2;
  return rest === 0 || (rest === CRLF.length && isAt(at + 2, CRLF)) ? parts : null;
}

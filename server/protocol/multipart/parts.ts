/** Finds the parts of a multipart body. Copies nothing: the parts are cut out of the same bytes. */
import { readParameters } from "./parameters";

/** Offsets in the body: the header starts at `head`, the content at `start`; `end` is exclusive. */
export type FormPart = { name: string; isFile: boolean; head: number; start: number; end: number };

/** More fields than any endpoint has, each with a picture or a speaker's name. */
const MAX_PARTS = 256;
const MAX_HEAD_BYTES = 8 * 1024;

/** A header line. It starts as no boundary line does, and contains no line end. */
const HEADER = /^([a-z0-9][\w!#$%&'*+.^`|~-]*):[ \t]*((?:(?!\x7f)[\t\x20-\xff])*)$/i;

/** Encodings that no parser decodes. Half of all parsers decode the others. */
const PLAIN_ENCODINGS = ["7bit", "8bit", "binary"];

/** Printable characters, without those that one parser takes for an escape or a quotation mark (PHP's takes both). */
const NAME = /^[\x20-\x24\x28-\x5b\x5d-\x7e]{1,200}$/;

/**
 * A file name like this would be the part's name to a parser that ignores quotation marks, or searches for `name=`
 * anywhere.
 */
const LOOKS_NAMED = /\bname[*\d]*[ \t]*=/i;

/** A parameter in pieces, or in another encoding (RFC 2231): Go uses it instead of the plain parameter of that name. */
const isOdd = ([key, value]: [string, string]) =>
  (key.includes("*") && key !== "filename*") || (key !== "name" && LOOKS_NAMED.test(value));

/** `length`: the part's own length header, in bytes; some parsers use it. */
type PartHead = Pick<FormPart, "name" | "isFile"> & { length: string | undefined };

/** Reads the name of a part from its header. null: there is none that all parsers read alike. */
function readHead(head: string): PartHead | null {
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
  // Some parsers read a part's inner parts as fields, others as its content.
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
 * Finds the parts of a body between its boundary lines, as clients write it: strictly, so that no upstream can find
 * other parts in it. null: malformed, or too large. Reads each byte a bounded number of times.
 */
export function findParts(body: Buffer, boundary: string): FormPart[] | null {
  const marker = Buffer.from(`--${boundary}`, "latin1");
  const parts: FormPart[] = [];
  const isAt = (at: number, text: string) => body.toString("latin1", at, at + text.length) === text;
  // The first boundary may stand at the very beginning, without a line end before it.
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
    // The boundary must be on a separate line: to PHP and Python, text after a lone line feed is a part. A part may
    // also lack its body, and the empty line with it: then this boundary belongs to the next part.
    const next = read === null ? -1 : body.indexOf(marker, start);
    const end = next - CRLF.length;
    if (read === null || end < start || !isAt(end, CRLF) || parts.length === MAX_PARTS) {
      return null;
    }
    const { length, ...header } = read;
    if (length !== undefined && length !== String(end - start)) {
      return null;
    }
    parts.push({ ...header, head, start, end });
    at = next + marker.byteLength;
  }
  const rest = body.byteLength - at - 2;
  return rest === 0 || (rest === CRLF.length && isAt(at + 2, CRLF)) ? parts : null;
}

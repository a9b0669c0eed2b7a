/** A form as a client sends it (RFC 7578), and as it goes on: the same bytes, but for the fields that are ours. */
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { folded } from "../acted-on";
import { readParameters } from "./parameters";
import { findParts, type Part } from "./parts";

export type Form = { bytes: Buffer; boundary: string; parts: readonly Part[] };

/** A form on its way to an upstream. */
export type Upload = { contentType: string; bytes: Uint8Array };

/** Those of RFC 2046, and what else is used between quotes. */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

const notForm = () => new GatewayError("invalidParameters", details.notForm());

export const isForm = (contentType: string): boolean =>
  /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType.trim());

/** Throws the 400 for a type that is no form's, or has no boundary. */
export function boundaryOf(contentType: string): string {
  if (!isForm(contentType)) {
    throw new GatewayError("invalidContentType", "multipart/form-data");
  }
  const boundary = readParameters(contentType)?.parameters.get("boundary") ?? "";
  if (!BOUNDARY.test(boundary)) {
    throw notForm();
  }
  return boundary;
}

/** Throws the 400 for what is none. */
export function parseForm(bytes: Buffer, boundary: string): Form {
  const parts = findParts(bytes, boundary);
  if (parts === null) {
    throw notForm();
  }
  return { bytes, boundary, parts };
}

/** What the gateway reads of a form: each may stand there once, as it is written here. */
const READ = [
  "model",
  "prompt",
  "response_format",
  "stream",
  "file",
  "seconds",
  "n",
  "batch_size",
  "num_images",
  "size",
  "quality",
  "mask",
];

/** By these some upstreams serve another model than the call's, or the same one at another price, or more of it. */
const REFUSED = [
  "models",
  "fallbacks",
  "preset",
  "extra_body",
  "service_tier",
  "mock_testing_fallbacks",
  "sequential_image_generation",
  "sequential_image_generation_options",
];

/** Far more than a vendor takes. */
const MAX_TEXT_BYTES = 128 * 1024;

/** A name as PHP makes variables of it, and without case. */
const meantBy = (name: string) => folded(name).trim().replace(/[ .]/g, "_");

const contentOf = ({ bytes }: Form, { start, end }: Part): Buffer => bytes.subarray(start, end);

/** The fields that the gateway reads, as text or as a file. Throws the 400 for one that is there twice. */
export function readFields(form: Form): { texts: Record<string, string>; files: Record<string, Buffer> } {
  const texts: Record<string, string> = {};
  const files: Record<string, Buffer> = {};
  const seen = new Set<string>();
  for (const part of form.parts) {
    // A list of one is as good as its element to many.
    const [meant = ""] = meantBy(part.name).split("[", 1);
    if (REFUSED.includes(meant)) {
      throw new GatewayError("invalidParameters", details.notSupported(meant));
    }
    if (!READ.includes(meant)) {
      continue;
    }
    if (meant !== part.name || seen.has(meant)) {
      throw new GatewayError("invalidParameters", details.onceInLowerCase(meant));
    }
    seen.add(meant);
    const content = contentOf(form, part);
    const shouldBeFile = meant === "file" || meant === "mask";
    if (part.isFile !== shouldBeFile) {
      throw new GatewayError(
        "invalidParameters",
        shouldBeFile ? details.mustBeFile(meant) : details.mustBeText(meant),
      );
    }
    if (shouldBeFile) {
      files[meant] = content;
    } else if (content.byteLength > MAX_TEXT_BYTES) {
      throw new GatewayError(
        "invalidParameters",
        details.mustBeTextOf(meant, { min: 0, max: MAX_TEXT_BYTES }),
      );
    } else {
      texts[meant] = content.toString("utf8");
    }
  }
  return { texts, files };
}

const booleans = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
]);

/** A boolean as forms say it. null: it is none. */
export const readBoolean = (text = ""): boolean | null => booleans.get(text.toLowerCase()) ?? null;

const TOKEN = /^[\w'+.-]+$/;

/** The form with these fields in place of its own, everything else as it is. `fields`: text without line breaks. */
export function withFields({ bytes, boundary, parts }: Form, fields: Record<string, string>): Upload {
  const first = bytes.indexOf(`--${boundary}`, 0, "latin1");
  const changes = Object.entries(fields)
    .map(([name, value]) => {
      const part = parts.find((each) => each.name === name);
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
      return part
        ? { start: part.start, end: part.end, text: value }
        : { start: first, end: first, text: `${head}${value}\r\n` };
    })
    .sort((left, right) => left.start - right.start);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of changes) {
    pieces.push(bytes.subarray(at, start), Buffer.from(text, "utf8"));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return {
    contentType: `multipart/form-data; boundary=${TOKEN.test(boundary) ? boundary : `"${boundary}"`}`,
    bytes: Buffer.concat(pieces),
  };
}

/** What a form says, whatever its boundary is: a client that repeats a call makes a new one. */
export function* saidIn(form: Form): Generator<string | Uint8Array> {
  for (const part of form.parts) {
    const head = form.bytes.toString("latin1", part.head, part.start);
    yield JSON.stringify([head, part.end - part.start]);
    yield contentOf(form, part);
  }
}

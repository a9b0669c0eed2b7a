/** A client's form (RFC 7578). The upstream gets the same bytes, except for the fields that the gateway sets. */
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { folded } from "../known-fields";
import { readParameters } from "./parameters";
import { type FormPart, findParts } from "./parts";

export type Form = { bytes: Buffer; boundary: string; parts: readonly FormPart[] };

/** A form for an upstream. */
export type Upload = { contentType: string; bytes: Uint8Array };

/** The characters of RFC 2046, and others that clients use between quotes. */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

const notForm = () => new GatewayError("invalidParameters", errorMessages.notForm());

export const isForm = (contentType: string): boolean =>
  /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType.trim());

/** Returns the boundary. Throws the 400 for a type other than a form, or without a boundary. */
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

/** Throws the 400 for an invalid form. */
export function parseForm(bytes: Buffer, boundary: string): Form {
  const parts = findParts(bytes, boundary);
  if (parts === null) {
    throw notForm();
  }
  return { bytes, boundary, parts };
}

/** The fields that the gateway reads: each may occur once, with exactly this name. */
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

/**
 * With these fields some upstreams serve another model than the call's, or the same one at another price, or more of
 * it.
 */
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

/** The name that PHP would use for a variable, without case. */
const meantBy = (name: string) => folded(name).trim().replace(/[ .]/g, "_");

const contentOf = ({ bytes }: Form, { start, end }: FormPart): Buffer => bytes.subarray(start, end);

/** Returns the fields that the gateway reads, as text or as a file. Throws the 400 for a repeated field. */
export function readFields(form: Form): { texts: Record<string, string>; files: Record<string, Buffer> } {
  const texts: Record<string, string> = {};
  const files: Record<string, Buffer> = {};
  const names = new Set<string>();
  for (const part of form.parts) {
    // Many parsers read a list of one as its element.
    const [meant = ""] = meantBy(part.name).split("[", 1);
    if (REFUSED.includes(meant)) {
      throw new GatewayError("invalidParameters", errorMessages.notSupported(meant));
    }
    if (!READ.includes(meant)) {
      continue;
    }
    if (meant !== part.name || names.has(meant)) {
      throw new GatewayError("invalidParameters", errorMessages.onceInLowerCase(meant));
    }
    names.add(meant);
    const content = contentOf(form, part);
    const shouldBeFile = meant === "file" || meant === "mask";
    if (part.isFile !== shouldBeFile) {
      throw new GatewayError(
        "invalidParameters",
        shouldBeFile ? errorMessages.mustBeFile(meant) : errorMessages.mustBeText(meant),
      );
    }
    if (shouldBeFile) {
      files[meant] = content;
    } else if (content.byteLength > MAX_TEXT_BYTES) {
      throw new GatewayError(
        "invalidParameters",
        errorMessages.mustBeTextOf(meant, { min: 0, max: MAX_TEXT_BYTES }),
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

/** Reads a form's boolean. null: it is none. */
export const readBoolean = (text = ""): boolean | null => booleans.get(text.toLowerCase()) ?? null;

const TOKEN = /^[\w'+.-]+$/;

/** Replaces or adds these fields and leaves the rest of the form unchanged. `fields`: text without line breaks. */
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

/** The content of a form without its boundary: a client that repeats a call makes a new boundary. */
export function* saidIn(form: Form): Generator<string | Uint8Array> {
  for (const part of form.parts) {
    const head = form.bytes.toString("latin1", part.head, part.start);
    yield JSON.stringify([head, part.end - part.start]);
    yield contentOf(form, part);
  }
}

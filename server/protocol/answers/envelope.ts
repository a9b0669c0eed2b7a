/** Envelopes that a vendor, or a gateway in between, puts around an answer or around each event of a stream. */
import { isJsonObject, type JsonObject, objects } from "../fields";
import { MAX_AT_ONCE_CHARACTERS } from "../json/turns";
import {
  isEmptyError,
  isSaid,
  readMereWords,
  readStatedError,
  saysFailure,
  statusIn,
} from "../upstream-error";
import { hasCounts } from "../usage/usage";
import { parseWithoutPrice } from "../usage/vendor-price";
import { withoutPascalNames } from "./pascal-names";
import { WRAPPERS } from "./wrappers";

/** Members that only an answer, or an event of a stream, has. */
const CONTENTS = ["choices", "candidates", "content", "delta", "usageMetadata", "promptFeedback"];

/** Types of messages and of events, in the dialects that have types. */
const TYPES = /^(?:message|content_block|response\.|error$)/;

/** Members that an envelope may have beside the answer that they belong to. */
const COUNTS = ["usage", "usageMetadata", "usage_metadata"];
const BESIDE = [...COUNTS, "model", "modelVersion"];

const isFilled = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Whether an object has a part of an answer in any dialect. Workers AI has the text in `response`. */
const hasContent = (body: JsonObject): boolean =>
  CONTENTS.some((name) => isFilled(body[name])) ||
  Array.isArray(body.output) ||
  typeof body.response === "string";

/** Whether an object has the type of a message or an event. */
const isTyped = ({ type }: JsonObject): boolean => typeof type === "string" && TYPES.test(type);

/** Whether an object is a part of an answer in any dialect, or one of its events. */
export const isPart = (body: JsonObject): boolean => hasContent(body) || isTyped(body);

const CHOICES = ["choices", "candidates", "content", "delta", "output"];

/** Whether a part of an answer is not empty. */
const hasChoices = (body: JsonObject): boolean =>
  CHOICES.some((name) => {
    const value = body[name];
    return Array.isArray(value) ? value.length > 0 : name !== "output" && isJsonObject(value);
  });

/** Whether an object is an answer, and no envelope of one. */
const isBare = (body: JsonObject): boolean => hasContent(body) || typeof body.object === "string";

/** An envelope has no type, or the one of the event in it, which the event's name tells. */
const hasTypeOf = ({ type }: JsonObject, inner: JsonObject): boolean =>
  typeof type !== "string" || type === inner.type;

/** Whether a member of an envelope is what its dialect's clients read. */
const isInside = (inner: JsonObject): boolean =>
  hasContent(inner) ||
  isFilled(inner.usage) ||
  Array.isArray(inner.tool_calls) ||
  isTyped(inner) ||
  (typeof inner.object === "string" && objects(inner.data).length > 0) ||
  !isEmptyError(inner.error);

/** Envelopes around envelopes. */
const MAX_DEPTH = 3;

/**
 * Members that may hold an answer as JSON text. `response` and `output` are missing: there, vendors put the model's own
 * text, which a client could make look like an answer with false counts.
 */
const TEXTS = new Set<string>(["body", "data", "result"]);

/** The object that a text is. Any other value stays; so does a text that is too long to be parsed at once. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || value.length > MAX_AT_ONCE_CHARACTERS || !/^\s*\{/.test(value)) {
    return value;
  }
  try {
    return parseWithoutPrice(value);
  } catch {
    return value;
  }
}

/** The object in a member of an envelope; some are a list of one. */
function innerOf(value: JsonObject, name: string): JsonObject | null {
  const member = TEXTS.has(name) ? parsed(value[name]) : value[name];
  const only: unknown = Array.isArray(member) && member.length === 1 ? member[0] : member;
  return isJsonObject(only) ? only : null;
}

/** The contents of an envelope, opened. In Cloudflare's, `response` is the model's text, or JSON that it made. */
function innersOf(value: JsonObject, depth: number, outer: string | null): JsonObject[] {
  const names = WRAPPERS.filter((name) => !(outer === "result" && name === "response"));
  return names.flatMap((name) => {
    const inner = innerOf(value, name);
    const opened = inner && hasTypeOf(value, inner) ? open(inner, depth + 1, name) : null;
    return isJsonObject(opened) && isInside(opened) ? [opened] : [];
  });
}

/** A failure whose words are inside, such as a status beside the body of an answer. */
function openFailure(value: JsonObject): JsonObject {
  const inner = WRAPPERS.map((name) => innerOf(value, name)).find(
    (each) => each !== null && (readStatedError(each) ?? readMereWords(each)) !== null,
  );
  if (!inner || readStatedError(value) !== null) {
    return value;
  }
  const status = statusIn(value);
  const error = isJsonObject(inner.error) ? { status, ...inner.error } : inner.error;
  return { status, ...inner, ...(error !== undefined && { error }) };
}

/** The content with the counts and the model of the objects around it, or inside it, where it has none. */
function withBeside(content: JsonObject, others: JsonObject[]): JsonObject {
  const isTold = (holder: JsonObject, name: string) =>
    COUNTS.includes(name) ? hasCounts(holder[name]) : isSaid(holder[name]);
  const beside = BESIDE.flatMap((name) => {
    const other = isTold(content, name) ? undefined : others.find((each) => isTold(each, name));
    return other ? [[name, other[name]]] : [];
  });
  return beside.length > 0 ? { ...content, ...Object.fromEntries(beside) } : content;
}

function open(sent: JsonObject, depth: number, outer: string | null): JsonObject {
  const value = withoutPascalNames(sent);
  if (value.error !== undefined && value.type !== "error" && isEmptyError(value.error)) {
    delete value.error;
  }
  if (depth === MAX_DEPTH || !WRAPPERS.some((name) => value[name] !== undefined)) {
    return value;
  }
  if (saysFailure(value)) {
    return openFailure(value);
  }
  const inners = innersOf(value, depth, outer);
  const isOwn = hasChoices(value) || (isBare(value) && !inners.some(hasChoices));
  const content = isOwn ? value : (inners.find(hasChoices) ?? inners[0]);
  return content === undefined ? value : withBeside(content, content === value ? inners : [value]);
}

/**
 * An answer or an event without its envelope, and without an error member that is empty: SDKs throw at an object there,
 * even an empty one. Changes the value. An envelope that reports a failure stays, whatever it contains, except that an
 * error inside becomes its own; and so does anything that is no envelope.
 */
export function openEnvelope(sent: unknown): unknown {
  const value = parsed(sent);
  return isJsonObject(value) ? open(value, 0, null) : value;
}

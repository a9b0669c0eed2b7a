/** Envelopes that a vendor, or a gateway in between, puts around an answer or around each event of a stream. */
import { isJsonObject, type JsonObject, objects } from "../fields";
import { isEmptyError, isSaid, saysFailure } from "../upstream-error";

/**
 * The members that hold the answer: those of Cline and of many vendors with a `code`, of Cloudflare, of Google's Code
 * Assist, and of DashScope's own dialect.
 */
export const WRAPPERS = ["data", "result", "response", "output"] as const;

/** Members that only an answer, or an event of a stream, has. */
const CONTENTS = ["choices", "candidates", "content", "delta", "usageMetadata", "promptFeedback"];

/** Types of messages and of events, in the dialects that have types. */
const TYPES = /^(?:message|content_block|response\.|error$)/;

/** Members that an envelope may have beside the answer that they belong to. */
const BESIDE = ["usage", "model"];

const isFilled = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Whether an object has a part of an answer in any dialect. */
const hasContent = (body: JsonObject): boolean =>
  CONTENTS.some((name) => isFilled(body[name])) || Array.isArray(body.output);

/** Whether an object has the type of a message or an event. */
const isTyped = ({ type }: JsonObject): boolean => typeof type === "string" && TYPES.test(type);

/** Whether an object is a part of an answer in any dialect, or one of its events. */
export const isPart = (body: JsonObject): boolean => hasContent(body) || isTyped(body);

/** Whether an object is an answer, and no envelope of one. */
const isBare = (body: JsonObject): boolean => hasContent(body) || typeof body.object === "string";

/** An envelope has no type, or the one of the event in it, which the event's name tells. */
const hasTypeOf = ({ type }: JsonObject, inner: JsonObject): boolean =>
  typeof type !== "string" || type === inner.type;

/** Whether a member of an envelope is what its dialect's clients read. */
const isInside = (inner: JsonObject): boolean =>
  hasContent(inner) ||
  isFilled(inner.usage) ||
  isTyped(inner) ||
  (typeof inner.object === "string" && objects(inner.data).length > 0) ||
  !isEmptyError(inner.error);

/** Envelopes around envelopes. */
const MAX_DEPTH = 3;

/**
 * An answer or an event without its envelope, and without an error member that is empty: SDKs throw at an object there,
 * even an empty one. Changes the value. An envelope that reports a failure stays, whatever it contains, and so does
 * anything that is no envelope.
 */
export function openEnvelope(value: unknown, depth = 0): unknown {
  if (!isJsonObject(value)) {
    return value;
  }
  if (value.error !== undefined && value.type !== "error" && isEmptyError(value.error)) {
    delete value.error;
  }
  if (depth === MAX_DEPTH || isBare(value) || saysFailure(value)) {
    return value;
  }
  const inner = WRAPPERS.map((name) => value[name]).filter(isJsonObject);
  const contents = inner
    .filter((each) => hasTypeOf(value, each))
    .map((each) => openEnvelope(each, depth + 1));
  const content = contents.filter(isJsonObject).find(isInside);
  if (content === undefined) {
    return value;
  }
  const beside = BESIDE.filter((name) => !isSaid(content[name]) && isSaid(value[name]));
  return { ...content, ...Object.fromEntries(beside.map((name) => [name, value[name]])) };
}

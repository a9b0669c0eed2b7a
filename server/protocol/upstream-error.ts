import type { VendorError } from "@/server/base/vendor-error";
import { isJsonObject, type JsonObject, objects, textOf } from "./fields";
import { failedFinish } from "./finish";
import { statusOfCode, statusOfMiniMax } from "./vendor-codes";

/** An upstream's error, from a body of any form. `status`: if the body names one. */
export type UpstreamWords = { message: string; status: number | null };

/** Far more than any error message shows: a cut here must not leave half a credential at the end of the shown text. */
const MAX_CHARACTERS = 8_000;

/** The status of each error type of the messages dialect; inside a stream only the type shows it. */
const messagesStatuses: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};

/** The members in which vendors put an error's text. */
const WORDS = ["message", "detail", "msg", "error_msg", "error_message", "status_msg", "errmsg"];
const wordsOf = (source: JsonObject): unknown =>
  WORDS.map((name) => source[name]).find((text) => typeof text === "string");

/** Members of answers and of their events, in any dialect: with one of them, a message text is no error. */
const answerMembers = ["choices", "content", "delta", "usage", "candidates", "usageMetadata"];
/** Errors may have these, too: beside the code of a failure, they do not make a body an answer. */
const commonMembers = ["output", "data", "text", "results", "content_block", "response", "type"];

const statusOf = (...candidates: unknown[]) =>
  candidates.map(Number).find((code) => code >= 400 && code < 600);

/** Words and codes that vendors put in the error of an answer that has none. */
const nothings = new Set(["", "0", "200", "ok", "success", "null", "none"]);

/**
 * Whether a value that stands for an error says that there is none: null, false, "", {}, [], a code of 0 or 200. Some
 * vendors always send such a member.
 */
export const isEmptyError = (value: unknown, depth = 0): boolean =>
  typeof value === "object" && value !== null
    ? depth < 3 && Object.values(value).every((inner) => isEmptyError(inner, depth + 1))
    : !value || nothings.has(String(value).toLowerCase());

/** The error that every choice has instead of an end (OpenRouter). null: a choice has none. */
function errorOfChoices(body: JsonObject): unknown {
  const errors = objects(body.choices).map(({ error }) => error);
  return errors.length > 0 && errors.every((error) => !isEmptyError(error)) ? errors[0] : null;
}

/** The error in a body. */
const errorIn = (body: JsonObject): unknown => errorOfChoices(body) ?? errorBeside(body);

const codesOf = ({ code, status_code, error_code, errcode }: JsonObject): unknown[] =>
  [code, status_code, error_code, errcode].filter((each) => each !== undefined);

/** The status of a failure that a body names, in HTTP's numbers. */
export const statusIn = (body: JsonObject): number | undefined =>
  statusOf(body.status, body.statusCode, ...codesOf(body));

/** Whether a body has the status of a failure: in HTTP's numbers, or MiniMax's, which is in every answer of it. */
const hasFailed = (body: JsonObject): boolean =>
  statusIn(body) !== undefined || (isJsonObject(body.base_resp) && Number(body.base_resp.status_code) > 0);

/** Whether a body reports a failure beside any content. */
export const saysFailure = (body: JsonObject): boolean =>
  hasFailed(body) || body.success === false || ![body.error, body.errors].every((each) => isEmptyError(each));

export const isSaid = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether a body has a code other than that of a success: HTTP's, or a vendor's own, such as 1001 or "InvalidApiKey". */
const isCoded = (body: JsonObject): boolean => codesOf(body).some((code) => !isEmptyError(code));

/** Whether a body has a member of an answer. Beside a code, an object may be the error's details. */
function hasContent(body: JsonObject): boolean {
  const isContent = isCoded(body) ? (value: unknown) => !isJsonObject(value) && !isEmptyError(value) : isSaid;
  return (
    answerMembers.some((name) => isSaid(body[name])) ||
    (!hasFailed(body) && commonMembers.some((name) => isContent(body[name])))
  );
}

/** The error in a body beside its choices. Vendors that do not wrap it in a member send only the error. */
function errorBeside(body: JsonObject): unknown {
  if (!isEmptyError(body.error)) {
    return body.error;
  }
  if (body.type === "error" || body.object === "error") {
    return body;
  }
  const isAnswer = hasContent(body) || isJsonObject(body.message);
  if (!isAnswer && Array.isArray(body.errors) && !isEmptyError(body.errors)) {
    return body.errors[0];
  }
  if (isJsonObject(body.base_resp) && hasFailed({ base_resp: body.base_resp })) {
    return body.base_resp;
  }
  const words = wordsOf(body);
  // "ok" and "success" are the words of no error.
  const isError = isCoded(body) || saysFailure(body) ? words !== undefined : !isEmptyError(words);
  return isError && !isAnswer ? body : null;
}

/** Google's gateway to the chat dialect wraps its errors in a list of one. */
const unlisted = (body: unknown): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body);

/** The error of an answer that its vendor ended with a word for a failure. */
export const brokeOff = (finish: string): UpstreamWords => ({
  message: `the answer broke off: ${finish}`,
  status: null,
});

/** Reads the error of a parsed body, or an end that means failure; null if there is none. */
export function readUpstreamError(answer: unknown): UpstreamWords | null {
  const body = unlisted(answer);
  const failed = isJsonObject(body) ? failedFinish(body) : null;
  const inChoices = isJsonObject(body) ? errorOfChoices(body) : null;
  const stated = isJsonObject(body) && inChoices !== null ? describe(body, inChoices) : readStatedError(body);
  return stated ?? (failed === null ? null : brokeOff(failed));
}

/** Reads the error of a parsed body and ignores its choices and ends; null if there is none. */
export function readStatedError(answer: unknown): UpstreamWords | null {
  const body = unlisted(answer);
  const error = isJsonObject(body) ? errorBeside(body) : null;
  return isJsonObject(body) && error !== null ? describe(body, error) : null;
}

/**
 * The words of a body that only may be an error: no code, type or failure says so. null: there are none, or the body
 * says that it is an error.
 */
export function readMereWords(body: unknown): UpstreamWords | null {
  const isMere =
    isJsonObject(body) &&
    ![body.type, body.object].includes("error") &&
    wordsOf(body) !== undefined &&
    !isCoded(body) &&
    !saysFailure(body);
  return isMere ? readStatedError(body) : null;
}

/** Reads the error that a choice has instead of an end; null if there is none. */
export const readChoiceError = (choice: JsonObject): UpstreamWords | null =>
  isEmptyError(choice.error) ? null : describe(choice, choice.error);

/** The status that an error's code, type or Google's `status` stands for in words, or MiniMax's code. */
function statusOfNames(source: JsonObject): number | undefined {
  const names = [...codesOf(source), source.type, source.status];
  const ofMiniMax = source.status_msg === undefined ? undefined : statusOfMiniMax(Number(source.status_code));
  return ofMiniMax ?? names.map((name) => statusOfCode(textOf(name))).find((status) => status !== undefined);
}

/** `body`: what has the error as a member, or is the error. */
function describe(body: JsonObject, error: unknown): UpstreamWords {
  const source = isJsonObject(error) ? error : body;
  const words = wordsOf(source) ?? error;
  const typed = body.type === "error" ? messagesStatuses[String(source.type)] : undefined;
  const status = statusOf(typed, source.status, ...codesOf(source)) ?? statusOfNames(source);
  const message = typeof words === "string" ? words : JSON.stringify(error);
  return { message: message.slice(0, MAX_CHARACTERS), status: status ?? null };
}

/** The text of an error body: the error in JSON of the usual forms, otherwise the text itself. */
export function describeErrorBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const words = readUpstreamError(body);
    if (words) {
      return words.message;
    }
    return JSON.stringify(body).slice(0, MAX_CHARACTERS);
  } catch {
    return text.trim().slice(0, MAX_CHARACTERS);
  }
}

/** Names and paths of members have these characters, and no spaces: what has others is a text. */
const NAME = /^[\w.:$[\]/-]{1,120}$/;

const nameOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && NAME.test(String(value))
    ? String(value)
    : undefined;

/** The names that an error body gives its error; null if it has none. Google's `status` is its type. */
export function readErrorNames(text: string): VendorError | null {
  let body: unknown;
  try {
    body = unlisted(JSON.parse(text));
  } catch {
    return null;
  }
  const error = isJsonObject(body) ? errorIn(body) : null;
  if (!isJsonObject(body) || error === null) {
    return null;
  }
  const source = isJsonObject(error) ? error : body;
  const [type, code, param] = [
    nameOf(source.type) ?? nameOf(source.status),
    nameOf(codesOf(source).find(isSaid)),
    nameOf(source.param),
  ];
  const names = { ...(type && { type }), ...(code && { code }), ...(param && { param }) };
  return Object.keys(names).length > 0 ? names : null;
}

/** Google's error details. `isOfCredential`: the key, or the place that it calls from, is at fault. */
export type GoogleDetails = { isOfCredential: boolean; retryAfterMs: number | null };

/** The limit that also applies to other vendors' retry header. */
const MAX_WAIT_MS = 300_000;

const NOTHING: GoogleDetails = { isOfCredential: false, retryAfterMs: null };

/** Whether the credential causes Google's 400: no client's request can cause these. */
const isOfCredential = ({ error, details }: { error: JsonObject; details: JsonObject[] }): boolean =>
  details.some(({ reason }) => reason === "API_KEY_INVALID") ||
  (error.status === "FAILED_PRECONDITION" && /^User location is not supported/.test(textOf(error.message)));

/** Reads the `errorMessages` of Google's error body; empty if there are none. */
export function readGoogleDetails(text: string): GoogleDetails {
  let body: unknown;
  try {
    body = unlisted(JSON.parse(text));
  } catch {
    return NOTHING;
  }
  const error = isJsonObject(body) ? body.error : null;
  if (!isJsonObject(error)) {
    return NOTHING;
  }
  const details = objects(error.details);
  const [, seconds] = details.flatMap(
    ({ retryDelay }) => /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(textOf(retryDelay)) ?? [],
  );
  return {
    isOfCredential: isOfCredential({ error, details }),
    retryAfterMs: seconds === undefined ? null : Math.min(Number(seconds) * 1_000, MAX_WAIT_MS),
  };
}

import { isJsonObject, type JsonObject, objects, textOf } from "./fields";
import { failedFinish } from "./finish";

/** What an upstream says went wrong, in a body of whatever form. `status` when the body names one. */
export type UpstreamWords = { message: string; status: number | null };

/** Far more than anybody is shown: what is cut off here must not leave half a credential at the end of what is. */
const MAX_CHARACTERS = 8_000;

/** The status that each error of the messages dialect stands for; inside a stream nothing else names it. */
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

/** Where vendors write what went wrong. */
const wordsOf = (source: JsonObject): unknown =>
  [source.message, source.detail, source.msg, source.error_msg, source.error_message, source.status_msg].find(
    (text) => typeof text === "string",
  );

/** Members of answers and of their events, in any dialect: words beside one of them are no error. */
const answerMembers = ["choices", "content", "delta", "usage"];
/** Errors may have these, too: beside a status of one they excuse nothing. */
const commonMembers = ["data", "type"];

const statusOf = (...candidates: unknown[]) =>
  candidates.map(Number).find((code) => code >= 400 && code < 600);

/** "", {}, [], a code of 0: a member that some vendors always have. */
const isEmpty = (value: unknown, depth = 0): boolean =>
  typeof value === "object" && value !== null
    ? depth < 3 && Object.values(value).every((inner) => isEmpty(inner, depth + 1))
    : !value || value === "0" || value === "success";

/** Members that no error has, of answers of any kind and of events. */
const wholeMembers = ["candidates", "output", "data", "text", "results", "content_block", "response"];

/** What of a body is its error. Vendors that do not wrap it in a member of its own send nothing but the error. */
function errorIn(body: JsonObject): unknown {
  const says = (name: string) => body[name] !== undefined && body[name] !== null;
  const hasAnswer = [...answerMembers, ...wholeMembers].some(says) || isJsonObject(body.message);
  if (says("error") && body.error !== false && !(hasAnswer && isEmpty(body.error))) {
    return body.error;
  }
  // MiniMax says in every answer how it went.
  if (isJsonObject(body.base_resp) && Number(body.base_resp.status_code) > 0) {
    return body.base_resp;
  }
  const hasFailed = statusOf(body.status, body.code, body.status_code, body.error_code) !== undefined;
  const isAnswer = answerMembers.some(says) || (!hasFailed && commonMembers.some(says));
  return body.object === "error" || (!isAnswer && wordsOf(body) !== undefined) ? body : null;
}

/** Google's gateway to the chat dialect puts its errors into a list of one. */
const unlisted = (body: unknown): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body);

/** The error of an answer that its vendor broke off with a word of its own. */
export const brokeOff = (finish: string): UpstreamWords => ({
  message: `the answer broke off: ${finish}`,
  status: null,
});

/** Reads the error of a parsed body, or the end by which it says that it failed; null when there is none. */
export function readUpstreamError(sent: unknown): UpstreamWords | null {
  const body = unlisted(sent);
  const failed = isJsonObject(body) ? failedFinish(body) : null;
  return readStatedError(body) ?? (failed === null ? null : brokeOff(failed));
}

/** Reads the error of a parsed body, whatever its ends say; null when there is none. */
export function readStatedError(sent: unknown): UpstreamWords | null {
  const body = unlisted(sent);
  const error = isJsonObject(body) ? errorIn(body) : null;
  if (!isJsonObject(body) || error === null) {
    return null;
  }
  const source = isJsonObject(error) ? error : body;
  const words = wordsOf(source) ?? error;
  const typed = body.type === "error" ? messagesStatuses[String(source.type)] : undefined;
  const status = statusOf(typed, source.status, source.code, source.status_code, source.error_code);
  const message = typeof words === "string" ? words : JSON.stringify(error);
  return { message: message.slice(0, MAX_CHARACTERS), status: status ?? null };
}

/** The words of an error body as text: JSON of the usual forms, else the text itself. */
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

/** What Google says of an error beside its words. `isOfCredential`: the fault is the key's, or where it calls from. */
export type GoogleDetails = { isOfCredential: boolean; retryAfterMs: number | null };

/** As of the header that others have for it. */
const MAX_WAIT_MS = 300_000;

const NOTHING: GoogleDetails = { isOfCredential: false, retryAfterMs: null };

/** What a 400 of Google's says that is no fault of the call's: nothing that a client sends brings it about. */
const isOfCredential = ({ error, details }: { error: JsonObject; details: JsonObject[] }): boolean =>
  details.some(({ reason }) => reason === "API_KEY_INVALID") ||
  (error.status === "FAILED_PRECONDITION" && /^User location is not supported/.test(textOf(error.message)));

/** `details` of an error body of Google's; nothing where it has none. */
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

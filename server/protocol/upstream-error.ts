import { isFields } from "./fields";

/** What an upstream says went wrong, in a body of whatever form. `status` when the body names one. */
export type UpstreamWords = { message: string; status: number | null };

/** Far more than anybody is shown: what is cut off here must not leave half a credential at the end of what is. */
const MAX_CHARACTERS = 32_000;

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

/** Reads the error of a parsed body; null when there is none. */
export function readUpstreamError(body: unknown): UpstreamWords | null {
  if (!isFields(body)) {
    return null;
  }
  const error = body.error ?? (body.object === "error" ? body : null);
  if (error === null || error === undefined || error === false) {
    return null;
  }
  const source = isFields(error) ? error : body;
  const words = [source.message, source.detail, error].find((text) => typeof text === "string");
  const typed = body.type === "error" ? messagesStatuses[String(source.type)] : undefined;
  const status = [typed, source.status, source.code, source.status_code]
    .map(Number)
    .find((code) => code >= 400 && code < 600);
  return { message: String(words ?? JSON.stringify(error)).slice(0, MAX_CHARACTERS), status: status ?? null };
}

/** The words of an error body as text: JSON of the usual forms, else the text itself. */
export function describeErrorBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const words = readUpstreamError(body);
    if (words) {
      return words.message;
    }
    const plain = isFields(body) ? (body.message ?? body.detail) : null;
    return (typeof plain === "string" ? plain : JSON.stringify(plain ?? body)).slice(0, MAX_CHARACTERS);
  } catch {
    return text.trim().slice(0, MAX_CHARACTERS);
  }
}

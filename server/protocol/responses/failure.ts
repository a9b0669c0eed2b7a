import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readUpstreamError, type UpstreamWords } from "../upstream-error";

/** The error in an `error` event (flat or with an object) or in a failed response. */
export function readFailure(event: JsonObject): UpstreamWords {
  const response = isJsonObject(event.response) ? event.response : {};
  const source = [event.error, response.error].find(isJsonObject) ?? event;
  const words = readUpstreamError({ error: source });
  // Other dialects' vendors use this type for any error; here it is only of the request.
  const isInvalid = [source.code, source.type].map(textOf).includes("invalid_request_error");
  return { message: words?.message ?? "", status: words?.status ?? (isInvalid ? 400 : null) };
}

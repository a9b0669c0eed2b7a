import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readUpstreamError, type UpstreamWords } from "../upstream-error";

/** The status for each code: inside a stream only the code shows it. */
const statuses: Record<string, number> = {
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  invalid_request_error: 400,
  content_policy_violation: 400,
  model_not_found: 404,
  server_error: 500,
  server_is_overloaded: 503,
};

/** The error in an `error` event (flat or with an object) or in a failed response. */
export function readFailure(event: JsonObject): UpstreamWords {
  const response = isJsonObject(event.response) ? event.response : {};
  const source = [event.error, response.error].find(isJsonObject) ?? event;
  const words = readUpstreamError({ error: source });
  const status = words?.status ?? statuses[textOf(source.code)] ?? statuses[textOf(source.type)] ?? null;
  return { message: words?.message ?? "", status };
}

/** Google's clients may put their key into the address; no log contains an address's query. */
const MEMBER = "key";

/** A call's headers. If they have no key of Google's form, the query's key is added. */
export function headersWithQueryKey({ url, headers }: Request): Headers {
  const start = url.indexOf("?");
  const key = start === -1 ? null : new URLSearchParams(url.slice(start)).get(MEMBER);
  if (!key || headers.get("x-goog-api-key")) {
    return headers;
  }
  const offered = new Headers(headers);
  try {
    offered.set("x-goog-api-key", key);
  } catch {
    // Not a valid header value, so no key of ours.
  }
  return offered;
}

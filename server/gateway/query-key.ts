/** Google's clients may put their key into the address; nothing that is logged has an address' query. */
const MEMBER = "key";

/** A call's headers, with the key of its query where they have none of Google's. */
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
    // No header's value, so no key of ours.
  }
  return offered;
}

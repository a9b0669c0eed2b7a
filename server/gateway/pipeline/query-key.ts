import type { ClientRequest, HeaderReader } from "@/server/base/client-request";

/** Google's clients may put their key into the address; no log contains an address's query. */
const MEMBER = "key";
const HEADER = "x-goog-api-key";

/** A call's headers. If they have no key of Google's form, the query's key is added. */
export function headersWithQueryKey({ url, headers }: Pick<ClientRequest, "url" | "headers">): HeaderReader {
  const start = url.indexOf("?");
  const key = start === -1 ? null : new URLSearchParams(url.slice(start)).get(MEMBER);
  if (!key || headers.get(HEADER)) {
    return headers;
  }
  return {
    get: (name) => (name === HEADER ? key : headers.get(name)),
    has: (name) => name === HEADER || headers.has(name),
    keys: () => [HEADER, ...headers.keys()],
  };
}

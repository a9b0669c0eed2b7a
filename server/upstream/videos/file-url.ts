/** An address that a client can fetch without a key, as a browser would write it; otherwise null. */
export function readFileUrl(text: unknown): string | null {
  if (typeof text !== "string" || /\p{Cc}/u.test(text) || !URL.canParse(text)) {
    return null;
  }
  const { protocol, username, password, href } = new URL(text);
  const isFetchable = (protocol === "http:" || protocol === "https:") && username + password === "";
  return isFetchable ? href : null;
}

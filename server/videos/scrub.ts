import { withoutSecrets } from "@/server/base/redactor";

const MAX_CHARACTERS = 300;
/** DNS has no longer names. */
const MAX_HOST_CHARACTERS = 260;

/** A host's name or an IPv4 address; `input.prompt` looks like one, and is removed, too. */
const isHost = (name: string) =>
  name.length <= MAX_HOST_CHARACTERS &&
  (/\w\.(?:[a-z]{2,}|xn--[\w-]+)[.-]*$/i.test(name) ||
    /^(?:\d{1,3}\.){3}\d{1,3}\.*$/.test(name) ||
    /^localhost$/i.test(name));

/**
 * A vendor's message without data that concerns only the vendor and the operator: addresses, keys, request identifiers.
 * `secrets`: removed wherever they occur. Takes time proportional to the message.
 */
export function scrub(words: string, secrets: readonly string[] = []): string {
  const plain = words.replace(/\s+/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, "");
  return (
    withoutSecrets(plain, secrets)
      .replace(/[a-z][a-z0-9+.-]{0,30}:\/\/\S*/gi, "…")
      .replace(/\[[0-9a-f:.]{2,45}\](?::\d+)?/gi, "…")
      .replace(/(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){7})[0-9a-f:.]{2,}/gi, "…")
      .replace(/[\w.-]+/g, (name) => (isHost(name) ? "…" : name))
      // The port and the path of a removed address.
      .replace(/…[:/?#]\S+/g, "…")
      .replace(/\b(?:sk|ak|key)-[\w-]{8,}/gi, "…")
      .replace(/\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi, "…")
      .replace(/\b[\w-]{32,}\b/g, "…")
      .trim()
      .slice(0, MAX_CHARACTERS)
  );
}

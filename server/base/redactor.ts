/** Removes credentials from the words of an upstream, which may echo its request in any encoding. */
import { LRUCache } from "lru-cache";

/** Shorter ones are placeholders such as `none`: removing them would only damage words. */
const SECRET_CHARACTERS = 6;
const MAX_SECRETS = 2_000;
/** Encodings by several programs, one around the other. */
const MAX_LAYERS = 3;

const GONE = "…";
const fromHex = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

/** Decodes one layer of percent signs, escapes of JSON and entities of HTML; credentials are ASCII. */
const decoded = (text: string) =>
  text
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => fromHex(hex))
    .replace(/\\{1,8}(?:u00|x)([0-9a-f]{2})/gi, (_, hex: string) => fromHex(hex))
    .replace(/\\{1,8}(["'/])/g, "$1")
    .replace(/&#x0{0,4}([0-9a-f]{2});/gi, (_, hex: string) => fromHex(hex))
    .replace(/&#0{0,4}(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&amp;", "&");

/** A run of base64 or hexadecimal digits; the encoded text may begin a few digits later. */
const RUN = /[\w+/-]{8,}/g;
const readingsOf = (run: string) => [
  ...[0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
  ...[0, 1].map((skip) => Buffer.from(run.slice(skip), "hex").toString("latin1")),
];

/**
 * Returns the words without the secrets. Shorten them only afterwards, because a part of a secret is not recognised.
 * Words that hide an encoded secret are returned decoded, without it.
 */
export function withoutSecrets(words: string, secrets: readonly string[]): string {
  const hidden = secrets.filter((secret) => secret.length >= SECRET_CHARACTERS);
  if (hidden.length === 0) {
    return words;
  }
  const holdsOne = (text: string) => hidden.some((secret) => text.includes(secret));
  const cut = (text: string) => hidden.reduce((left, secret) => left.replaceAll(secret, GONE), text);
  let left = cut(words);
  let plain = left;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    plain = decoded(plain);
    if (holdsOne(plain)) {
      plain = cut(plain);
      left = plain;
    }
  }
  return left.replace(RUN, (run) => (readingsOf(run).some(holdsOne) ? GONE : run));
}

export type Redact = (words: string) => string;

/** `learn` records a secret that this process has opened, and returns it; `redact` removes all recorded secrets. */
export function createRedactor(): { learn: (secret: string) => string; redact: Redact } {
  const secrets = new LRUCache<string, true>({ max: MAX_SECRETS });
  return {
    learn: (secret) => {
      secrets.set(secret, true);
      return secret;
    },
    redact: (words) => withoutSecrets(words, [...secrets.keys()]),
  };
}

import { describe, expect, test } from "vitest";
import { createRedactor, withoutSecrets } from "./redactor";

const secret = 'sk-upstream/"9876+abc';
const percent = (text: string) =>
  [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
const escapes = (text: string) =>
  [...text].map((char) => `\\u00${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");

describe("a text has no secret left in it, in any encoding", () => {
  const forms: Record<string, string> = {
    plain: secret,
    "for an address": encodeURIComponent(secret),
    "for an address, twice": encodeURIComponent(encodeURIComponent(secret)),
    "every character for an address": percent(secret),
    "as JSON": JSON.stringify(secret).slice(1, -1),
    "as JSON inside JSON": JSON.stringify(JSON.stringify(secret)).slice(1, -1),
    "escapes of JSON": escapes(secret),
    "escapes of JSON inside JSON": JSON.stringify(escapes(secret)),
    "entities of HTML": [...secret].map((char) => `&#${char.charCodeAt(0)};`).join(""),
    base64: Buffer.from(secret).toString("base64"),
    base64url: Buffer.from(secret).toString("base64url"),
    "base64 of a pair": Buffer.from(`user:${secret}`).toString("base64"),
    "base64 of a header": Buffer.from(`Bearer ${secret}`).toString("base64"),
    hexadecimal: Buffer.from(secret).toString("hex"),
  };
  test.each(Object.entries(forms))("%s", (_name, form) => {
    for (const words of [`you sent ${form}`, `${form} is wrong`, `key=${form};`]) {
      const redacted = withoutSecrets(words, ["another-secret", secret]);
      expect(redacted).toContain("…");
      expect(redacted).not.toContain(form);
      expect(redacted).not.toContain(form.slice(0, Math.ceil(form.length / 2)));
    }
  });
});

test("a text without a secret stays as it is, and a placeholder is no secret", () => {
  const words = 'max_tokens: 100%25 of "4096" \\u0041 &#65; is too much for sk-other-key-0001';
  expect(withoutSecrets(words, [secret])).toBe(words);
  expect(withoutSecrets("none of them", ["none", ""])).toBe("none of them");
});

test("a secret is removed from texts after the redactor has learnt it", () => {
  const { learn, redact } = createRedactor();
  expect(redact(`it was ${secret}`)).toContain(secret);
  expect(learn(secret)).toBe(secret);
  expect(redact(`it was ${secret}`)).toBe("it was …");
});

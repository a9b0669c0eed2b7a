import { expect, test } from "vitest";
import { readFileUrl } from "./file-url";

test.each([
  ["https://oss.test/v.mp4?Expires=1&Signature=a%2Bb", "https://oss.test/v.mp4?Expires=1&Signature=a%2Bb"],
  ["HTTPS://OSS.test:443/a/../v.mp4", "https://oss.test/v.mp4"],
  ['https://oss.test/"><script>', "https://oss.test/%22%3E%3Cscript%3E"],
  [" https://oss.test/v\\1.mp4", "https://oss.test/v/1.mp4"],
])("a file's address %j becomes %j", (text, url) => {
  expect(readFileUrl(text)).toBe(url);
});

test.each([
  "",
  "v.mp4",
  "//oss.test/v.mp4",
  "ftp://oss.test/v.mp4",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:video/mp4;base64,AA==",
  "https://user@oss.test/v.mp4",
  "https://:secret@oss.test/v.mp4",
  "https://oss.test/v.mp4\r\nset-cookie: a=b",
  "https://oss.test/\u0000v.mp4",
  "java\tscript:alert(1)",
  null,
  7,
  { url: "https://oss.test/v.mp4" },
])("%j is no address that a client can fetch", (text) => {
  expect(readFileUrl(text)).toBeNull();
});

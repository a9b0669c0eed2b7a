import { expect, test } from "vitest";
import { deviceOf } from "./device";

const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";

test.each([
  [safari, { browser: "Safari", system: "iOS" }],
  [chrome, { browser: "Chrome", system: "Windows" }],
  ["x".repeat(100_000), { browser: null, system: null }],
  ["", { browser: null, system: null }],
  [null, { browser: null, system: null }],
])("a browser is recognized by its user agent", (userAgent, device) => {
  expect(deviceOf(userAgent)).toEqual(device);
});

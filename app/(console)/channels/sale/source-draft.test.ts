import { expect, test } from "vitest";
import { emptySource, endpointOf, sourceProblemsOf, withPreset, withSecret } from "./source-draft";

const openai = {
  id: "openai",
  name: "OpenAI",
  dialect: "openai",
  baseUrl: "https://api.openai.com/v1",
  keyPrefix: "sk-proj-",
} as const;
const anthropic = {
  ...openai,
  id: "anthropic",
  dialect: "anthropic",
  baseUrl: "https://api.anthropic.com",
  keyPrefix: "sk-ant-",
} as const;
const vendors = [openai, anthropic];

test("a pasted key names its vendor, unless one is chosen", () => {
  const pasted = withSecret(emptySource, " sk-ant-1234", vendors);
  expect(endpointOf(pasted)).toEqual({
    vendor: "anthropic",
    dialect: "anthropic",
    baseUrl: "https://api.anthropic.com",
  });
  expect(withSecret(withPreset(emptySource, openai), "sk-ant-1234", vendors).vendor).toBe("openai");
  expect(withSecret(emptySource, "unheard-of", vendors).vendor).toBe("");
});

test.each([
  [emptySource, { secret: "secretMissing", baseUrl: "vendorMissing" }],
  [
    { ...emptySource, secret: "käse", baseUrl: "ftp://x" },
    { secret: "secret", baseUrl: "baseUrl" },
  ],
  [
    { ...emptySource, secret: "half", dialect: "kling" as const, baseUrl: "https://k" },
    { secret: "secretPair" },
  ],
  [{ ...withPreset(emptySource, openai), secret: "sk-1" }, {}],
])("problems of %j", (draft, problems) => {
  expect(sourceProblemsOf(draft)).toEqual(problems);
});

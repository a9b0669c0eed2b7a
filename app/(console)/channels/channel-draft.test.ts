import { expect, test } from "vitest";
import { madeUp } from "@/tests/support/made-up";
import { hasProblems } from "../_forms/problems";
import type { ChannelDetail } from "./channel";
import {
  channelOf,
  draftOf,
  editOf,
  emptyDraft,
  newCredential,
  problemsOf,
  wantsNewCredentials,
  withVendor,
} from "./channel-draft";

const stored: ChannelDetail = {
  models: [{ modelId: "a", upstreamName: "a-1", overrides: { topK: true }, inForce: { topK: true } }],
  ...{ id: madeUp("chn_1"), name: "main", dialect: "openai", vendor: null },
  ...{ baseUrl: "https://vendor.test/v1", credentialHints: ["1111", "2222"], priority: 3, weight: 2 },
  ...{ maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null, isEnabled: true },
  ...{ isMovedOff: false, createdAt: "2026-01-01T00:00:00.000Z" },
};

test("a form that nobody touched changes nothing", () => {
  expect(editOf(draftOf(stored), draftOf(stored))).toEqual({});
  expect(hasProblems(problemsOf(draftOf(stored)))).toBe(false);
});

test("only what was changed is sent, and credentials that stay by their place", () => {
  const before = draftOf(stored);
  expect(editOf({ ...before, weight: " 5 ", maxTasks: "7" }, before)).toEqual({ weight: 5, maxTasks: 7 });
  const [, second] = before.credentials;
  const replaced = { ...newCredential(), secret: " sk-new " };
  expect(editOf({ ...before, credentials: second ? [second, replaced] : [] }, before)).toEqual({
    secrets: [{ keep: 1 }, { secret: "sk-new" }],
  });
});

test("rows without any name are left out, and a model is called upstream as here unless said otherwise", () => {
  const [model] = draftOf(stored).models;
  const blank = { ...emptyDraft(), name: "n", baseUrl: "https://vendor.test" };
  const models = [
    ...blank.models,
    { id: -1, modelId: " b ", upstreamName: "", overrides: {} },
    ...(model ? [model] : []),
  ];
  expect(channelOf({ ...blank, models }).models).toEqual([
    { modelId: "b", upstreamName: "b", overrides: {} },
    { modelId: "a", upstreamName: "a-1", overrides: { topK: true } },
  ]);
});

test("each field says what is wrong with it", () => {
  const problems = problemsOf({
    ...emptyDraft(),
    ...{ baseUrl: "ftp://vendor.test", priority: "1.5", weight: "-1", maxTasks: "0" },
    models: [
      { id: -1, modelId: "a", upstreamName: "", overrides: {} },
      { id: -2, modelId: "a ", upstreamName: "b", overrides: {} },
      { id: -3, modelId: "", upstreamName: "c", overrides: {} },
      { id: -4, modelId: "x".repeat(257), upstreamName: "", overrides: {} },
    ],
  });
  expect(problems).toMatchObject({
    ...{ name: "nameMissing", baseUrl: "baseUrl", priority: "priority", weight: "weight" },
    maxTasks: "maxTasks",
  });
  expect(problems.credentials.size).toBe(1);
  expect([...problems.models]).toEqual([
    [-2, "modelTwice"],
    [-3, "modelMissing"],
    [-4, "modelLong"],
  ]);
});

test("stored credentials do not go to another host", () => {
  const draft = draftOf(stored);
  expect(wantsNewCredentials({ ...draft, baseUrl: "https://vendor.test/v2" }, stored)).toBe(false);
  const elsewhere = { ...draft, baseUrl: "https://other.test/v1" };
  expect(wantsNewCredentials(elsewhere, stored)).toBe(true);
  expect(wantsNewCredentials({ ...elsewhere, credentials: [newCredential()] }, stored)).toBe(false);
});

test("a preset fills dialect and address", () => {
  const preset = { id: "claude", dialect: "anthropic" as const, baseUrl: "https://api.vendor.test" };
  const draft = withVendor(emptyDraft(), preset);
  expect(draft).toMatchObject({ vendor: "claude", dialect: "anthropic", baseUrl: preset.baseUrl });
  const expected = { vendor: "", dialect: "anthropic", baseUrl: preset.baseUrl };
  expect(withVendor(draft, null)).toMatchObject(expected);
});

test("a vendor of two keys gets both, one after the other", () => {
  const draft = { ...emptyDraft(), name: "n", baseUrl: "https://vendor.test", dialect: "kling" as const };
  const problemsWith = (secret: string, dialect: "kling" | "openai" = "kling") => [
    ...problemsOf({ ...draft, dialect, credentials: [{ ...newCredential(), secret }] }).credentials.values(),
  ];
  expect(problemsWith(" access:secret ")).toEqual([]);
  expect(problemsWith("access")).toEqual(["secretPair"]);
  expect(problemsWith("")).toEqual(["secret"]);
  expect(problemsWith("access", "openai")).toEqual([]);
});

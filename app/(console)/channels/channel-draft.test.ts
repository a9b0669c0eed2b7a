import { expect, test } from "vitest";
import { branded } from "@/tests/support/branded";
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
  ...{ id: branded("chn_1"), name: "main", dialect: "openai", vendor: null },
  ...{ baseUrl: "https://vendor.test/v1", credentialHints: ["1111", "2222"], priority: 3, weight: 2 },
  ...{ maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null, isEnabled: true },
  ...{ isMovedOff: false, createdAt: "2026-01-01T00:00:00.000Z" },
};

test("an untouched form changes nothing", () => {
  expect(editOf(draftOf(stored), draftOf(stored))).toEqual({});
  expect(hasProblems(problemsOf(draftOf(stored)))).toBe(false);
});

test("only changed fields are sent, and kept credentials by their place", () => {
  const before = draftOf(stored);
  expect(editOf({ ...before, weight: " 5 ", maxTasks: "7" }, before)).toEqual({ weight: 5, maxTasks: 7 });
  const [, second] = before.credentials;
  const replaced = { ...newCredential(), secret: " sk-new " };
  expect(editOf({ ...before, credentials: second ? [second, replaced] : [] }, before)).toEqual({
    secrets: [{ keep: 1 }, { secret: "sk-new" }],
  });
});

test("rows without a name are left out, and a model has its own name upstream unless another is given", () => {
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

test("each wrong field has its problem", () => {
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

test("stored credentials are not sent to another host", () => {
  const draft = draftOf(stored);
  expect(wantsNewCredentials({ ...draft, baseUrl: "https://vendor.test/v2" }, stored)).toBe(false);
  const elsewhere = { ...draft, baseUrl: "https://other.test/v1" };
  expect(wantsNewCredentials(elsewhere, stored)).toBe(true);
  expect(wantsNewCredentials({ ...elsewhere, credentials: [newCredential()] }, stored)).toBe(false);
});

test("a preset fills in the dialect and the address", () => {
  const preset = { id: "claude", dialect: "anthropic" as const, baseUrl: "https://api.vendor.test" };
  const draft = withVendor(emptyDraft(), preset);
  expect(draft).toMatchObject({ vendor: "claude", dialect: "anthropic", baseUrl: preset.baseUrl });
  const expected = { vendor: "", dialect: "anthropic", baseUrl: preset.baseUrl };
  expect(withVendor(draft, null)).toMatchObject(expected);
});

test("a vendor with pairs of keys needs both, separated by a colon", () => {
  const draft = { ...emptyDraft(), name: "n", baseUrl: "https://vendor.test", dialect: "kling" as const };
  const problemsWith = (secret: string, dialect: "kling" | "openai" = "kling") => [
    ...problemsOf({ ...draft, dialect, credentials: [{ ...newCredential(), secret }] }).credentials.values(),
  ];
  expect(problemsWith(" access:secret ")).toEqual([]);
  expect(problemsWith("access")).toEqual(["secretPair"]);
  expect(problemsWith("")).toEqual(["secret"]);
  expect(problemsWith("access", "openai")).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureIn, failures } from "@/server/domain/task-failures";
import { kinds } from "./error-kinds";
import { errorMessages } from "./error-messages";
import { type ErrorKind, envelope, GatewayError, streamError } from "./errors";

/** The exact texts of spec section 7. */
const spec = [
  "缺少 model 参数",
  "messages 必须是非空数组",
  "缺少 anthropic-version 请求头",
  "缺少 API Key",
  "API Key 无效",
  "当月额度不足,请先充值",
  "API Key 已被禁用",
  "账号已被禁用",
  "IP 不在白名单中",
  "模型 <model> 不存在或未启用",
  "API 调用过于频繁,请稍后再试",
  "计费失败,请联系管理员",
  "上游渠道全部不可用",
  "上游响应格式异常",
];

const han = /\p{Script=Han}/u;

/** Example values that fit every function of `errorMessages`. */
const anything = {
  ...{ min: 1, max: 2, fields: 1, depth: 1 },
  ...{ name: "name", value: "value", allowed: "known", model: "m" },
};
const clip = { durationSeconds: 5, resolution: "720p" };
const examples: Partial<Record<keyof typeof errorMessages, unknown[]>> = {
  mustBeOneOf: ["field", ["a", "b"]],
  notPriced: [{ model: "m", combination: clip, sold: [clip] }],
  tooManyFields: [anything],
  noParameter: [anything],
  noClip: [{ wanted: clip, allowed: clip }],
};

test("only the spec's texts are the same in every language", () => {
  const texts = Object.values(kinds).map(({ text }) => (text === "explained" ? null : text("<model>")));
  // Two kinds share one text: too many calls per minute, and too many concurrent calls.
  expect([...new Set(texts.filter((text) => typeof text === "string"))].sort()).toEqual([...spec].sort());
});

test.each(Object.entries(errorMessages))(
  "the detail %s has a text in both languages",
  (name, writeDetail) => {
    const values = examples[name as keyof typeof errorMessages] ?? ["field", anything];
    const { zh, en } = (writeDetail as (...values: unknown[]) => { zh: string; en: string })(...values);
    expect(zh).toMatch(han);
    expect(en).not.toMatch(han);
    expect(en).toMatch(/[a-z]{3}/);
  },
);

test.each([
  "invalidJson",
  "expiredKey",
  "unknownTask",
  "internal",
  "unavailable",
  "noVideoChannel",
] satisfies ErrorKind[])("%s has a text in the reader's language", (kind) => {
  const error = new GatewayError(kind, "m");
  expect(envelope(error, { redact: String, language: "zh" }).message).toMatch(han);
  expect(envelope(error, { redact: String, language: "en" }).message).not.toMatch(han);
});

test.each<[ErrorKind, string, RegExp]>([
  ["upstreamsUnavailable", "", /No upstream channel/],
  ["upstreamsUnavailable", "limited", /rate limit/],
  ["upstreamsUnavailable", "broken", /connection to the upstream failed/],
  ["upstreamMalformed", "broken", /was lost/],
  ["upstreamMalformed", "silent", /stopped sending/],
  ["upstreamMalformed", "anything else", /could not be read/],
])(
  "%s for the reason %j keeps the spec's text, and its sentence names the reason in English",
  (kind, reason, english) => {
    const error = new GatewayError(kind as "upstreamMalformed", reason);
    const { message, sentence } = streamError(error, { redact: String, language: "en" });
    expect([spec.includes(message), sentence]).toEqual([true, expect.stringMatching(english)]);
    expect(streamError(error, { redact: String, language: "zh" }).sentence).toBe(message);
  },
);

test("every detail and every reason of a failed task is used in the code", () => {
  const sources = readdirSync("server", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join("server", path), "utf8"))
    .join("\n");
  expect(Object.keys(errorMessages).filter((name) => !sources.includes(`errorMessages.${name}(`))).toEqual(
    [],
  );
  expect(Object.keys(failures).filter((name) => !sources.includes(`failures.${name}`))).toEqual([]);
});

test("a failed task's reason is in the reader's language, and a vendor's own words stay as they are", () => {
  for (const { zh, en } of Object.values(failures)) {
    expect(failureIn("en", zh)).toBe(en);
    expect(failureIn("zh", zh)).toBe(zh);
    expect(en).not.toMatch(han);
  }
  expect(failureIn("en", "内容不合规")).toBe("内容不合规");
});

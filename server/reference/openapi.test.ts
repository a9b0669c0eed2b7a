import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { documentIn } from "@/app/docs/documents";
import { kinds } from "@/server/base/error-kinds";
import { languages } from "@/server/base/language";
import { locate } from "@/server/endpoints";
import { membersOf } from "@/server/endpoints/schema";
import { type ClientDialect, namesIn, scalarEntries } from "@/server/protocol/scalar-members";
import { bodies, operations } from "./components";
import { memberText } from "./members";

const document = documentIn("en");

describe("/openapi.json", () => {
  test.each(languages)("is OpenAPI 3.1 in %s", async (language) => {
    const { valid, errors } = await new Validator().validate(structuredClone(documentIn(language)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test("has no path under /v1 that the servers lack", () => {
    const paths = Object.keys(document.paths).filter((path) => path.startsWith("/v1/"));
    expect(paths.map((path) => locate(path.replaceAll(/\{\w+\}/g, "any")).path)).toEqual(paths);
  });

  test("has every scalar member of a dialect in its body", () => {
    const bodyOf = {
      ...{ chat: "ChatRequest", completions: "CompletionRequest", messages: "MessagesRequest" },
      ...{ responses: "ResponsesRequest", gemini: "GeminiRequest" },
    } as const;
    for (const [dialect, body] of Object.entries(bodyOf) as [ClientDialect, string][]) {
      const names = scalarEntries.flatMap(([, member]) => namesIn(member, dialect));
      const documented = membersOf(bodies[body] ?? {}).map(([name]) => name);
      expect(documented).toEqual(expect.arrayContaining(names.map((name) => name.replace(/\..*/, ""))));
    }
  });

  test("has the header of ignored members in every answer of a conversation", () => {
    const withHeader = Object.entries(document.paths).filter(([, methods]) =>
      JSON.stringify(methods).includes('"x-tollgate-ignored"'),
    );
    expect(withHeader.map(([path]) => path).sort()).toEqual([
      "/v1/chat/completions",
      "/v1/completions",
      "/v1/messages",
      "/v1/responses",
      "/v1beta/models/{model}:generateContent",
      "/v1beta/models/{model}:streamGenerateContent",
    ]);
  });

  test("names neither a charge nor an Idempotency-Key for calls that are free of charge", () => {
    const free = operations.filter(({ summary }) => summary.en.endsWith("free of charge"));
    expect(free.map(({ id }) => id).sort()).toEqual([
      "countMessageTokens",
      "countResponseTokens",
      "countTokens",
    ]);
    for (const { parameters = [], refusals } of free) {
      expect(parameters.map(({ name }) => name)).not.toContain("Idempotency-Key");
      expect(refusals).not.toContain("quotaExhausted");
    }
  });

  test("names each operation once", () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("has every refusal that a client can get, in both languages, with advice", () => {
    const slugs = new Set(document["x-error-codes"].map(({ slug }) => slug));
    const kindSlugs = Object.values(kinds).map(({ slug }) => slug);
    expect(kindSlugs.filter((slug) => !slugs.has(slug)).sort()).toEqual(["client_gone", "forbidden"]);
    const texts = document["x-error-codes"].flatMap(({ message, name, advice }) =>
      [message, name, advice].flatMap(({ zh, en }) => [zh, en]),
    );
    expect(texts.filter((text) => text === "")).toEqual([]);
  });

  test("explains every member and parameter", () => {
    const members = Object.entries(bodies).flatMap(([name, schema]) =>
      membersOf(schema).map(([member]) => ({ member, text: memberText(member, name) })),
    );
    const parameters = operations.flatMap(({ parameters: all = [] }) =>
      all.map(({ name }) => ({ member: name, text: memberText(name) })),
    );
    const missing = [...members, ...parameters].filter(({ text }) => text === undefined);
    expect(missing.map(({ member }) => member)).toEqual([]);
  });

  test("has Chinese summaries for Chinese readers", () => {
    const summaries = operations.map(({ summary }) => summary.zh);
    expect(summaries.filter((text) => !/[\u4e00-\u9fff]/.test(text))).toEqual([]);
  });
});

test("the console and the reference give the same advice", () => {
  const consoleTexts = JSON.parse(readFileSync("app/_messages/en/requests.json", "utf8")) as {
    errors: Record<string, { advice: string }>;
  };
  const refusal = document["x-error-codes"].find(({ slug }) => slug === "missing_model");
  expect(refusal?.advice.en).toBe(consoleTexts.errors.missing_model?.advice);
});

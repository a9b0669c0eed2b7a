import Ajv2020 from "ajv/dist/2020";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readDesired } from "./desired";
import { fileSchema } from "./index";
import { InvalidFiles } from "./problem";

const read = (text: string, env: Record<string, string> = {}) => readDesired([{ file: "a.yaml", text }], env);

/** The problems of a text, each in words. */
async function problemsOf(text: string): Promise<string[]> {
  const error = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidFiles);
  return (error as InvalidFiles).message.split("\n").slice(0, -1);
}

test("every problem has its file, its line and the path of its member, all at once", async () => {
  const text = `
channels:
  - name: a
    base_ulr: https://a.example
    dialect: openai
    models:
      - model_id: m
      - upstream_name: n
    secrets:
      - sk-written-here
---
accounts:
  - name: b
    quota: much
    keys:
      - { name: k, expires_at: tomorrow }
    nonsense: 1`;
  expect((await problemsOf(text)).sort()).toEqual([
    "a.yaml:10: channels[0].secrets[0]: a secret is a reference: { env: NAME } or { file: PATH }",
    "a.yaml:14: accounts[0].quota: an amount can have at most 9 digits before and 9 after the decimal point",
    "a.yaml:16: accounts[0].keys[0].expires_at: Invalid ISO datetime",
    expect.stringMatching(
      /^a\.yaml:17: accounts\[0\]\.nonsense: there is no such member: there are name, .*, quota, /,
    ),
    "a.yaml:4: channels[0].base_ulr: there is no such member; is it base_url?",
    "a.yaml:8: channels[0].models[1].model_id: it is missing",
  ]);
});

test("text that is no YAML, a name that occurs twice and an object that is described twice have their lines", async () => {
  expect(await problemsOf("models:\n  - id: a\n   kind: chat")).toEqual([
    expect.stringMatching(/^a\.yaml:[23]: /),
  ]);
  expect(await problemsOf("models:\n  - id: a\n    id: b")).toEqual(["a.yaml:3: Map keys must be unique"]);
  expect(await problemsOf("models:\n  - id: a\n  - id: b\n  - id: a")).toEqual([
    "a.yaml:4: models[2]: model a is in a.yaml:2 already",
  ]);
});

test("a document that contains itself or grows without bound is refused, not followed", async () => {
  expect(await problemsOf("models: &a\n  - *a")).toEqual([
    expect.stringContaining("a.yaml:1: the document is too"),
  ]);
  const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`);
  expect(await problemsOf(["a0: &a0 [1]", ...levels].join("\n"))).toEqual([
    expect.stringContaining("the document is too"),
  ]);
});

test("amounts are read as they are written, and a name that looks like a number is a name", async () => {
  const [model] = await read(
    "models: [{ id: 4.10, kind: chat, input_price: 0.10, max_output_tokens: 4096 }]",
  );
  expect(model?.members).toEqual({ id: "4.10", kind: "chat", inputPrice: "0.10", maxOutputTokens: 4096 });
});

test("objects are in the order in which they can be applied, whatever their order in the files", async () => {
  const all = await read(
    "accounts: [{ name: a, users: [{ email: A@a.example }] }]\nprice_groups: [{ name: g }]\n---\nmodels: [{ id: m }]",
  );
  expect(all.map(({ title }) => title)).toEqual([
    "model m",
    "price group g",
    "account a",
    "user a/a@a.example",
  ]);
});

test("the schema for editors takes what the command takes and refuses what it refuses", async () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(fileSchema());
  const texts = {
    right: "channels: [{ name: a, priority: 1, secrets: [{ env: A }], models: [{ model_id: m }] }]",
    number: "accounts: [{ name: a, quota: 1.5, keys: [{ name: k, daily_cap: null }] }]",
    misspelt: "channels: [{ nome: a }]",
    literal: "channels: [{ name: a, secrets: [sk-secret] }]",
    bound: "channels: [{ name: a, priority: 5000 }]",
  };
  for (const [name, text] of Object.entries(texts)) {
    const isTaken = await read(text, { A: "a" }).then(
      () => true,
      () => false,
    );
    expect([name, validate(parse(text))]).toEqual([name, isTaken]);
  }
  expect(validate(parse(texts.right))).toBe(true);
  expect(validate(parse(texts.literal))).toBe(false);
});

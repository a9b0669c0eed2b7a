import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { languages } from "@/server/base/language";
import { pages } from "@/server/reference";
import { findGo, goWords, wrongImports } from "@/tests/support/golang";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { findPython } from "@/tests/support/python";
import { HANGS_MS, until } from "@/tests/support/until";

const run = promisify(execFile);

const server = perFile(() => startServer({}));
let key: string;

beforeAll(async () => {
  await until(() => /Demo key {2}sk-/.test(server.output()));
  key = /Demo key {2}(\S+)/.exec(server.output())?.[1] ?? "";
});

const guide = pages.flatMap(({ group, files }) =>
  group === "guide" && files ? languages.map((language) => files[language]) : [],
);

const examples = guide.flatMap((file) =>
  [...readFileSync(`docs/${file}`, "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
    ([, language = "", code = ""], at) => ({ name: `${file}, example ${at + 1}`, language, code }),
  ),
);
const inShell = examples.filter(({ language, code }) => language === "sh" && code.startsWith("curl "));
const inPython = examples.filter(({ language }) => language === "python");
const python = findPython();
const inScript = examples.filter(({ language }) => language === "ts");
const inGo = examples.filter(({ language }) => language === "go");
const go = findGo();

/** The output of the example code against this server, with the demo key. */
async function printed(program: string, words: string[]): Promise<string> {
  const env = { ...process.env, TOLLGATE_KEY: key, OPENAI_API_KEY: "" };
  const here = words.map((word) => word.replaceAll("http://127.0.0.1:3000", server.url));
  return (await run(program, here, { env, timeout: HANGS_MS })).stdout;
}

test("the guide has examples of every kind", () => {
  expect(new Set(examples.map(({ language }) => language))).toEqual(
    new Set(["sh", "ts", "python", "go", "json", "toml", "text"]),
  );
});

describe("as it is printed,", () => {
  let task = "";

  test.each(inShell)("$name gets an answer", async ({ code }) => {
    const answer = await printed("sh", ["-c", code.replace("task_…", task)]);
    task = /"id":"(task_\w+)"/.exec(answer)?.[1] ?? task;
    expect(answer).not.toMatch(/"code":\d/);
    expect(() => JSON.parse(answer)).not.toThrow();
  });

  test.each(inScript)("$name prints something", async ({ code }) => {
    expect(await printed(process.execPath, ["--input-type=module-typescript", "--eval", code])).not.toBe("");
  });

  test.skipIf(python === null).each(inPython)("$name prints something", async ({ code }) => {
    expect(await printed(python ?? "", ["-c", code])).not.toBe("");
  });

  // To compile the SDKs takes minutes, so Go runs where REFERENCE_GO names it (docs/testing.md).
  test.each(go === null ? [] : inGo)("$name prints something", async ({ code }) => {
    const words = goWords(code.replaceAll("http://127.0.0.1:3000", server.url));
    expect(await printed(go ?? "", words)).not.toBe("");
  });
});

test.each(inGo)("$name imports what it uses and nothing else", ({ code }) => {
  expect(wrongImports(code)).toEqual([]);
});

describe("the pages", () => {
  test.each(pages.map(({ id }) => id))("/docs/%s is public, in both languages", async (id) => {
    for (const [language, tag] of [
      ["zh", "zh-CN"],
      ["en", "en"],
    ] as const) {
      const answer = await fetch(`${server.url}/docs/${id}`, { headers: { "accept-language": language } });
      const html = await answer.text();
      expect(answer.status).toBe(200);
      expect(html).toContain(`<html lang="${tag}"`);
      expect(html).toContain(pages.find((page) => page.id === id)?.title[language]);
    }
  });

  test("are Markdown for programs, with the address of this server", async () => {
    const answer = await fetch(`${server.url}/docs/files/en/errors.md`);
    const text = await answer.text();
    expect(text).toContain("### insufficient_quota");
    expect(text).toContain(`base_url="${server.url}/v1"`);
    const reference = await fetch(`${server.url}/docs/files/en/admin-api-reference.md`);
    expect(await reference.text()).toContain("### POST /admin/v1/accounts\n");
    expect((await fetch(`${server.url}/docs/files/en/none.md`)).status).toBe(404);
    expect((await fetch(`${server.url}/docs/files/en/..%2F..%2Fpackage.json`)).status).toBe(404);
  });

  test("are all linked in /llms.txt, by addresses that answer", async () => {
    const text = await (await fetch(`${server.url}/llms.txt`)).text();
    const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links).toHaveLength(pages.length + 2);
    const answers = await Promise.all(links.map(async (link) => (await fetch(link)).status));
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  test("/openapi.json is the OpenAPI document, in the reader's language", async () => {
    for (const [language, name] of [
      ["en", "Models"],
      ["zh", "模型"],
    ] as const) {
      const answer = await fetch(`${server.url}/openapi.json`, { headers: { "accept-language": language } });
      const document = (await answer.json()) as { tags: unknown[] };
      expect(document).toMatchObject({ openapi: "3.1.0" });
      expect(document.tags[0]).toMatchObject({ name });
    }
  });
});

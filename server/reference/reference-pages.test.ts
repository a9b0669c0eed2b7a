import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { advice } from "@/app/docs/content";
import { headings, read } from "@/app/docs/headings";
import { adminReference } from "@/server/admin";
import { kinds } from "@/server/base/error-kinds";
import { type Language, languages } from "@/server/base/language";
import { operations } from "./components";
import { isInEnglishOnly, pageOfLink, pages } from "./pages";
import { operationsText, refusalsText } from "./reference-pages";

const fileOf = (file: string) => readFileSync(`docs/${file}`, "utf8");
const withFiles = pages.flatMap((page) => (page.files ? [{ page, files: page.files }] : []));
const inBothLanguages = withFiles.filter(({ page }) => !isInEnglishOnly(page));

describe.each(languages)("in %s", (language) => {
  test("every operation has its section", () => {
    const text = operationsText(language);
    const missing = operations.filter(
      ({ method, path }) => !text.includes(`### ${method.toUpperCase()} ${path}\n`),
    );
    expect(missing).toEqual([]);
  });

  test("every refusal that a client gets has its section", () => {
    const text = refusalsText(language, advice);
    const refusals = Object.values(kinds).filter(({ slug }) => !["client_gone", "forbidden"].includes(slug));
    expect(refusals.filter(({ slug }) => !text.includes(`### ${slug}\n`))).toEqual([]);
  });

  test("every page has a file, and each of its links between pages leads to an existing place", () => {
    const placesIn = (id: string, inLanguage: Language) => {
      const file = pages.find((page) => page.id === id)?.files?.[inLanguage];
      const generated = id === "errors" ? refusalsText(inLanguage, advice) : operationsText(inLanguage);
      const text = (file === undefined ? adminReference() : fileOf(file)).replace(
        /<!-- (?:operations|refusals) -->/,
        () => generated,
      );
      return headings(read(text));
    };
    // A heading is found by its name in either language.
    const placesOf = (id: string) =>
      languages.flatMap((each) => [...placesIn(id, each).values()].map((heading) => `#${heading.id}`));
    const brokenLinks = withFiles.flatMap(({ page, files }) =>
      [...fileOf(files[language]).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = ""]) => {
        if (/^(?:https?:|\/)/.test(href)) {
          return [];
        }
        const target = pageOfLink(page, href);
        // A file of the repository that is no page, such as a decision, is text in the documentation.
        const isThere = target
          ? target.hash === "" || placesOf(target.id).includes(target.hash)
          : existsSync(join("docs", dirname(files[language]), href.replace(/#.*/, "")));
        return isThere ? [] : [`${page.id}: ${href}`];
      }),
    );
    expect(brokenLinks).toEqual([]);
  });
});

test("every page for clients and for operators is in both languages, and the menu has all of them", () => {
  expect(inBothLanguages.map(({ page }) => page.id)).toEqual(
    pages.filter(({ group }) => group !== "details").map(({ id }) => id),
  );
  const chinese = globSync("docs/zh/*.md");
  const files = [
    ...globSync("docs/guide/*/*.md"),
    ...chinese,
    ...chinese.map((file) => file.replace("zh/", "")),
  ];
  const named = inBothLanguages.flatMap(({ files: each }) => Object.values(each));
  expect(named.map((file) => `docs/${file}`).sort()).toEqual(files.sort());
});

test("the Chinese pages have the headings, tables and code blocks of the English ones", () => {
  const shape = (text: string) =>
    read(text)
      .filter(({ type }) => ["heading", "table", "code"].includes(type))
      .map(({ type }) => type);
  for (const { files } of inBothLanguages) {
    expect(shape(fileOf(files.zh)), files.zh).toEqual(shape(fileOf(files.en)));
  }
});

/** This page is for look-ups: it grows by a line with each change. */
const LISTS = ["changelog"];
const MOST_WORDS = 2_000;

test("a page is read in ten minutes: it has at most 2,000 words, without its code and what programs wrote", () => {
  const long = withFiles
    .filter(({ page }) => !LISTS.includes(page.id))
    .flatMap(({ files }) => [...new Set(Object.values(files))])
    .filter((file) => {
      const text = fileOf(file)
        .replace(/^```[\s\S]*?^```$/gm, "")
        .replace(/<!-- ([\w: -]+) -->[\s\S]*?<!-- \/\1 -->/g, "");
      // A Chinese word has two characters on average.
      const chinese = text.match(/\p{Script=Han}/gu)?.length ?? 0;
      return text.replace(/\p{Script=Han}+/gu, " ").split(/\s+/).length + chinese / 2 > MOST_WORDS;
    });
  expect(long).toEqual([]);
});

test('a link to the clients page leads operators to "calling", and readers of the guide to "clients"', () => {
  const from = (id: string) => pages.find((page) => page.id === id) ?? pages[0];
  expect(pageOfLink(from("spec") as never, "clients.md#repeats")).toEqual({
    id: "calling",
    hash: "#repeats",
  });
  expect(pageOfLink(from("costs") as never, "clients.md")).toEqual({ id: "clients", hash: "" });
  expect(pageOfLink(from("spec") as never, "decisions/0010-threads-are-declined.md")).toBeNull();
  expect(pageOfLink(from("spec") as never, "../README.md")).toBeNull();
});

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { advice } from "@/app/docs/documents";
import { headingsIn, read } from "@/app/docs/markdown";
import { adminReference } from "@/server/admin";
import { kinds } from "@/server/base/error-kinds";
import { languages } from "@/server/base/language";
import { operations } from "./components";
import { isInEnglishOnly, pageOfLink, pages } from "./pages";
import { operationsText, refusalsText } from "./reference-pages";

const fileOf = (file: string) => readFileSync(`docs/${file}`, "utf8");
const inBothLanguages = pages.flatMap((page) =>
  page.files && !isInEnglishOnly(page) ? [{ page, files: page.files }] : [],
);

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

  test("every page that is written has a file, and every link of it between pages leads to a place that is there", () => {
    const placesOf = (id: string) => {
      const file = pages.find((page) => page.id === id)?.files?.[language];
      const made = id === "errors" ? refusalsText(language, advice) : operationsText(language);
      const text = (file === undefined ? adminReference() : fileOf(file)).replace(
        /<!-- (?:operations|refusals) -->/,
        () => made,
      );
      return headingsIn(read(text), 6).map((heading) => `#${heading.id}`);
    };
    const astray = inBothLanguages.flatMap(({ page, files }) =>
      [...fileOf(files[language]).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = ""]) => {
        if (href.startsWith("../") && existsSync(join("docs", dirname(files[language]), href))) {
          return [];
        }
        const target = href.startsWith("/") ? { id: page.id, hash: "" } : pageOfLink(page, href);
        return target && (target.hash === "" || placesOf(target.id).includes(target.hash))
          ? []
          : [`${page.id}: ${href}`];
      }),
    );
    expect(astray).toEqual([]);
  });
});

test("the guide is written in both languages, as are some operators' pages, and no page is missing in the menu", () => {
  const chinese = globSync("docs/zh/*.md");
  const files = [
    ...globSync("docs/guide/*/*.md"),
    ...chinese,
    ...chinese.map((file) => file.replace("zh/", "")),
  ];
  const named = inBothLanguages.flatMap(({ files: each }) => Object.values(each));
  expect(named.map((file) => `docs/${file}`).sort()).toEqual(files.sort());
});

test("the Chinese pages have the headings, the tables and the code of the English ones", () => {
  const shape = (text: string) =>
    read(text)
      .filter(({ type }) => ["heading", "table", "code"].includes(type))
      .map(({ type }) => type);
  for (const { files } of inBothLanguages) {
    expect(shape(fileOf(files.zh)), files.zh).toEqual(shape(fileOf(files.en)));
  }
});

test("a page of the operators' says calling where the guide says clients", () => {
  const from = (id: string) => pages.find((page) => page.id === id) ?? pages[0];
  expect(pageOfLink(from("spec") as never, "clients.md#repeats")).toEqual({
    id: "calling",
    hash: "#repeats",
  });
  expect(pageOfLink(from("costs") as never, "clients.md")).toEqual({ id: "clients", hash: "" });
  expect(pageOfLink(from("spec") as never, "decisions/0010-threads-are-declined.md")).toBeNull();
  expect(pageOfLink(from("spec") as never, "../README.md")).toBeNull();
});

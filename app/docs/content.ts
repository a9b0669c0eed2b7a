import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locale } from "@/app/_i18n/locales";
import { adminReference } from "@/server/admin";
import { operationsText, type Page, refusalsText } from "@/server/reference";
import { advice } from "./documents";

/** The address in the documentation's files, which can be read in the repository too. */
const EXAMPLE_URL = "http://127.0.0.1:3000";

const sourceOf = async ({ files }: Page, language: Locale): Promise<string> =>
  files ? await readFile(join(process.cwd(), "docs", files[language]), "utf8") : adminReference();

/** A page's Markdown, with examples that call this installation. */
export async function textOf(page: Page, language: Locale, baseUrl: string): Promise<string> {
  return (await sourceOf(page, language))
    .replace("<!-- operations -->", () => operationsText(language))
    .replace("<!-- refusals -->", () => refusalsText(language, advice))
    .replaceAll(EXAMPLE_URL, baseUrl);
}

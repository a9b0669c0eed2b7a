import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locale } from "@/app/_i18n/locales";
import { messagesOf } from "@/app/_i18n/messages";
import { adminReference } from "@/server/admin";
import type { Documented } from "@/server/console";
import { type Advice, installationText, operationsText, type Page, refusalsText } from "@/server/reference";

/** The address in the documentation's files, which can be read in the repository too. */
const EXAMPLE_URL = "http://127.0.0.1:3000";

export const advice: Advice = { zh: messagesOf("zh").requests.errors, en: messagesOf("en").requests.errors };

const sourceOf = async ({ files }: Page, language: Locale): Promise<string> =>
  files ? await readFile(join(process.cwd(), "docs", files[language]), "utf8") : adminReference();

/**
 * A page's Markdown, with examples that call this installation and its models. null: as in the files, for the index of
 * the search, which is every reader's.
 */
export async function textOf(page: Page, language: Locale, here: Documented | null): Promise<string> {
  const text = (await sourceOf(page, language))
    .replace("<!-- operations -->", () => operationsText(language))
    .replace("<!-- refusals -->", () => refusalsText(language, advice))
    .replace("<!-- installation -->", () => (here ? installationText(language, here) : ""));
  return here ? atPlace(text, here) : text;
}

/** The page as it is true at this installation. */
function atPlace(text: string, { baseUrl, models }: Documented): string {
  const there = text.replaceAll(EXAMPLE_URL, () => baseUrl);
  return [...models].reduce(
    (done, [example, model]) =>
      done.replaceAll(new RegExp(`(?<=["'\`(])${example}(?=["'\`)])`, "g"), () => model),
    there,
  );
}

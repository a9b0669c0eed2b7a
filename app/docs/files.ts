import { locales } from "@/app/_i18n/locales";
import { describeForDocs } from "@/server/console";
import { findPage } from "@/server/reference";
import { textOf } from "./content";

type FileContext = { params: Promise<{ language: string; name: string }> };

/** GET /docs/files/{language}/{page}.md: a page as Markdown, for programs. */
export async function answerFile(_request: Request, { params }: FileContext): Promise<Response> {
  const { language: languageName, name } = await params;
  const page = findPage(name.replace(/\.md$/, ""));
  const language = locales.find((locale) => locale === languageName);
  return page && language && name.endsWith(".md")
    ? new Response(await textOf(page, language, await describeForDocs()), {
        headers: { "content-type": "text/markdown; charset=utf-8" },
      })
    : new Response("There is no such page.\n", { status: 404 });
}

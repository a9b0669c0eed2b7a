/** Documents for programs: the OpenAPI document and `llms.txt` for language models. */
import { type Locale, locales } from "@/app/_i18n/locales";
import { version } from "@/package.json";
import { languageOf } from "@/server/base/language";
import { describeInstallation } from "@/server/console";
import { llmsText, openApi } from "@/server/reference";
import { advice } from "./content";

export const documentIn = (language: Locale) => openApi({ language, advice, version });

const printed = new Map<Locale, string>();

/** `?lang=` wins over the client's preference. */
function languageFor(request: Request): Locale {
  const language = new URL(request.url).searchParams.get("lang");
  return locales.find((locale) => locale === language) ?? languageOf(request.headers.get("accept-language"));
}

/** GET /openapi.json. */
export function answerOpenApi(request: Request): Response {
  const language = languageFor(request);
  const body = printed.get(language) ?? JSON.stringify(documentIn(language));
  printed.set(language, body);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "access-control-allow-origin": "*",
    vary: "accept-language",
  };
  return new Response(body, { headers });
}

/** GET /llms.txt (llmstxt.org), in English: language models are trained mostly in English. */
export const answerLlms = async (): Promise<Response> =>
  new Response(llmsText((await describeInstallation()).baseUrl), {
    headers: { "content-type": "text/plain; charset=utf-8" },
  });

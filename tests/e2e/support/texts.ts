import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { createTranslator } from "use-intl/core";
import type { Locale } from "@/app/_i18n/locales";
import type { Messages } from "@/app/_i18n/messages";

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Read as files: Node imports JSON only with an import attribute, which the console's own index does not have. */
function readMessages(locale: Locale): Messages {
  const folder = `app/_messages/${locale}`;
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const entries = files.map((name) => [
    camelCase(basename(name, ".json")),
    JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as unknown,
  ]);
  return Object.fromEntries(entries) as Messages;
}

const createTexts = (locale: Locale) => createTranslator({ locale, messages: readMessages(locale) });

/** The console's texts by their keys, as its pages use them: `t("keys.create")`. */
export type ConsoleTexts = ReturnType<typeof createTexts>;

const textsByLocale = new Map<Locale, ConsoleTexts>();

export function textsIn(locale: Locale): ConsoleTexts {
  const texts = textsByLocale.get(locale) ?? createTexts(locale);
  textsByLocale.set(locale, texts);
  return texts;
}

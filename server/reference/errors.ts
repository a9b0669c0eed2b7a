/** Every refusal of section 7 in both languages. */
import type { ErrorDefinition } from "@/server/base/error-kind";
import { kinds } from "@/server/base/error-kinds";
import type { ErrorKind } from "@/server/base/errors";
import { both, type Language, type Texts } from "@/server/base/language";

/** The name of each refusal, and advice against it; the console shows the same texts. */
export type Advice = Record<Language, Record<string, { name: string; advice: string }>>;

export type DocumentedError = {
  slug: string;
  status: number;
  /** `<…>` stands for a part that depends on the call. */
  message: Texts;
  name: Texts;
  advice: Texts;
  /** Whether the same call may succeed in a moment. */
  isRepeatable: boolean;
};

/** For messages whose text only the call itself can give. */
const placeholder = both("<具体原因>", "<what is wrong>");

function messageOf({ text }: ErrorDefinition): Texts {
  if (text === "explained") {
    return placeholder;
  }
  const texts = { zh: text(placeholder.zh), en: text(placeholder.en) };
  const inLanguage = (language: Language) => {
    const words = texts[language];
    return typeof words === "string" ? words : words[language];
  };
  return both(inLanguage("zh"), inLanguage("en"));
}

/** Refusals of logs and of the admin API only. */
const UNSEEN: readonly ErrorKind[] = ["clientGone", "forbidden"];

const allKinds = Object.keys(kinds) as ErrorKind[];

/** Sorted by status. */
export const refusalsOf = (advice: Advice): DocumentedError[] =>
  allKinds
    .filter((name) => !UNSEEN.includes(name))
    .map((name): DocumentedError => {
      const kind: ErrorDefinition = kinds[name];
      const textsOf = (part: "name" | "advice") =>
        both(advice.zh[kind.slug]?.[part] ?? "", advice.en[kind.slug]?.[part] ?? "");
      return {
        slug: kind.slug,
        status: kind.status,
        message: messageOf(kind),
        name: textsOf("name"),
        advice: textsOf("advice"),
        isRepeatable: kind.retry ?? (kind.status >= 500 || kind.status === 429),
      };
    })
    .toSorted((left, right) => left.status - right.status);

export const slugOf = (kind: ErrorKind): string => kinds[kind].slug;
export const statusOf = (kind: ErrorKind): number => kinds[kind].status;

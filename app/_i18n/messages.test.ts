import { createTranslator } from "use-intl/core";
import { expect, test } from "vitest";
import { locales } from "./locales";
import { messagesOf } from "./messages";

type Tree = { [name: string]: string | Tree };

/** `keys.title` -> its text. */
const flatten = (tree: Tree, path = ""): [name: string, text: string][] =>
  Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "string" ? [[`${path}${name}`, value]] : flatten(value, `${path}${name}.`),
  );

const catalogs = locales.map((locale) => ({
  locale,
  texts: new Map(flatten(messagesOf(locale) as Tree)),
}));

/** Everything that a text may want a value for, and the tags in it. */
function valuesFor(text: string): Record<string, unknown> {
  const names = [...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => [name, 1]);
  const tags = [...text.matchAll(/<(\w+)>/g)].map(([, tag]) => [tag, (words: string) => words]);
  return Object.fromEntries([...names, ...tags]);
}

test("the languages have the same texts", () => {
  const [first, ...others] = catalogs.map(({ texts }) => [...texts.keys()].sort());
  for (const other of others) {
    expect(other).toEqual(first);
  }
});

test.each(catalogs)(
  "every text of $locale can be formatted with what the other language wants",
  (catalog) => {
    const faults: string[] = [];
    const translate = createTranslator({
      locale: catalog.locale,
      messages: messagesOf(catalog.locale),
      onError: (error) => faults.push(error.message),
    });
    for (const other of catalogs.filter(({ locale }) => locale !== catalog.locale)) {
      for (const [name, text] of other.texts) {
        expect(translate.markup(name as never, valuesFor(text) as never), name).not.toBe("");
      }
    }
    expect(faults).toEqual([]);
  },
);

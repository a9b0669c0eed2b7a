/** Searches all pages of the documentation, by sections. */
import MiniSearch from "minisearch";
import type { Locale } from "@/app/_i18n/locales";
import { addresses } from "@/app/addresses";
import { pages } from "@/server/reference";
import { textOf } from "./content";
import { excerptOf, type Piece } from "./excerpt";
import { read } from "./headings";
import { MAX_QUERY } from "./query";
import { sectionsOf } from "./sections";
import { wordsIn } from "./words";

export type Found = {
  href: string;
  /** The page's title. */
  page: string;
  /** The section's heading; null: the page's beginning. */
  heading: string | null;
  /** The text around the first word that was found; words that were found are marked. */
  excerpt: Piece[];
};

type Entry = { id: number; href: string; page: string; heading: string | null; text: string };

async function entriesOf(locale: Locale): Promise<Entry[]> {
  const perPage = await Promise.all(
    pages.map(async (page) =>
      sectionsOf(read(await textOf(page, locale, null))).map(({ heading, text }) => ({
        href: addresses.doc(page.id, heading === null ? "" : `#${heading.id}`),
        page: page.title[locale],
        heading: heading?.text ?? null,
        text,
      })),
    ),
  );
  return perPage.flat().map((entry, id) => ({ id, ...entry }));
}

async function buildIndex(locale: Locale) {
  const entries = await entriesOf(locale);
  const index = new MiniSearch<Entry>({
    fields: ["page", "heading", "text"],
    tokenize: (text) => wordsIn(text),
    searchOptions: {
      ...{ boost: { page: 3, heading: 4 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
      // The "a" of "restore a backup" is the beginning of too many words.
      processTerm: (term) => (/^[a-z]$/i.test(term) ? null : term.toLowerCase()),
    },
  });
  // In steps, so that the server answers others meanwhile: all of it takes about a second.
  await index.addAllAsync(entries, { chunkSize: 20 });
  return { entries, index };
}

const indexes = new Map<Locale, ReturnType<typeof buildIndex>>();

/** The index of a language, which the first search builds. A failure is not kept. */
function indexIn(locale: Locale): ReturnType<typeof buildIndex> {
  const cached = indexes.get(locale);
  if (cached) {
    return cached;
  }
  const building = buildIndex(locale);
  indexes.set(locale, building);
  building.catch(() => indexes.delete(locale));
  return building;
}

/** The best sections for a query in a language, the best first. */
export async function searchDocs(locale: Locale, query: string, limit: number): Promise<Found[]> {
  const text = query.trim().slice(0, MAX_QUERY);
  if (text === "") {
    return [];
  }
  const { entries, index } = await indexIn(locale);
  return index
    .search(text)
    .slice(0, limit)
    .flatMap(({ id, terms }) => {
      const entry = entries[id as number];
      return entry
        ? [
            {
              href: entry.href,
              page: entry.page,
              heading: entry.heading,
              excerpt: excerptOf(entry.text, terms),
            },
          ]
        : [];
    });
}

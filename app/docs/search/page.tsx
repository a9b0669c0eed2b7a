import { Anchor, Text } from "@mantine/core";
import type { Metadata } from "next";
import { getLocale, getTranslator } from "@/app/_i18n/server";
import { type Found, searchDocs } from "../search";

type Props = { searchParams: Promise<{ q?: string | string[] }> };

const MAX_RESULTS = 40;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("docs.searchTitle") };
}

const Result = ({ href, page, heading, excerpt }: Found) => (
  <li>
    <Anchor href={href} fw={600}>
      {heading === null ? page : `${page} › ${heading}`}
    </Anchor>
    <Text size="sm" c="dimmed" className="wrap-anywhere">
      {excerpt.map(({ text, isFound }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their order
        isFound ? <mark key={index}>{text}</mark> : text,
      )}
    </Text>
  </li>
);

export default async function SearchPage({ searchParams }: Props) {
  const { q } = await searchParams;
  const query = (Array.isArray(q) ? q[0] : q)?.trim() ?? "";
  const t = await getTranslator();
  const found = await searchDocs(await getLocale(), query, MAX_RESULTS);
  return (
    <div className="doc-page">
      <article className="doc" id="content">
        <h1>{t("docs.searchTitle")}</h1>
        {query === "" && <p>{t("docs.searchHint")}</p>}
        {query !== "" && (
          <p role="status">
            {found.length === 0
              ? t("docs.noResults", { query })
              : t("docs.results", { query, count: found.length })}
          </p>
        )}
        <ul className="plain-list docs-results">
          {found.map((result) => (
            <Result key={`${result.href} ${result.heading}`} {...result} />
          ))}
        </ul>
      </article>
    </div>
  );
}

import { Alert, Anchor } from "@mantine/core";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { locales } from "@/app/_i18n/locales";
import { getLocale, getTranslator } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { describeForDocs } from "@/server/console";
import { findPage, isInEnglishOnly, pageOfLink } from "@/server/reference";
import { textOf } from "../content";
import { Contents } from "../contents";
import { headingsIn, read } from "../headings";
import { Markdown } from "../markdown";

type Props = { params: Promise<{ page: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const page = findPage((await params).page);
  return { title: page?.title[await getLocale()] };
}

export default async function DocPage({ params }: Props) {
  const page = findPage((await params).page);
  if (!page) {
    notFound();
  }
  const locale = await getLocale();
  const t = await getTranslator();
  const here = await describeForDocs();
  const tokens = read(await textOf(page, locale, here));
  const otherLocale = locales.find((each) => each !== locale) ?? locale;
  const other = isInEnglishOnly(page) ? undefined : read(await textOf(page, otherLocale, here));
  const linkTo = (href: string): string | null => {
    if (/^(https?:\/\/|\/)/.test(href)) {
      return href;
    }
    const target = pageOfLink(page, href);
    return target && addresses.doc(target.id, target.hash);
  };
  return (
    <div className="doc-page">
      <article className="doc" id="content" lang={isInEnglishOnly(page) ? "en" : undefined}>
        {isInEnglishOnly(page) && locale !== "en" && <Alert lang="zh">{t("docs.englishOnly")}</Alert>}
        <Markdown tokens={tokens} other={other} linkTo={linkTo} codeLabel={t("docs.copyCode")} />
        <p>
          <Anchor href={addresses.docFile(locale, page.id)}>{t("docs.asMarkdown")}</Anchor>
        </p>
      </article>
      <Contents headings={headingsIn(tokens)} title={t("docs.contents")} />
    </div>
  );
}

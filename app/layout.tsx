import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./code.css";
import "./console.css";
import "./dark-tints.css";
import "./figures.css";
import "./forms.css";
import "./shell.css";
import "./statement.css";
import "./tables.css";
import "./audit.css";
import "./table-columns.css";
import "./table-cards.css";
import "./timeline.css";
import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { languageTags } from "./_i18n/locales";
import { messagesOf } from "./_i18n/messages";
import { getLocale, getZone, requestedAt } from "./_i18n/server";
import { earlyClicks } from "./early-clicks";
import { fontVariables } from "./fonts";
import { Providers } from "./providers";

export const metadata: Metadata = { title: { default: "Tollgate", template: "%s · Tollgate" } };

export const viewport: Viewport = { colorScheme: "light dark", width: "device-width", initialScale: 1 };

/** Reading the request keeps pages from being prerendered: their scripts would lack the nonce of proxy.ts. */
export default async function Layout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? "";
  const locale = await getLocale();
  return (
    <html lang={languageTags[locale]} className={fontVariables} {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, which nothing is put into */}
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: earlyClicks }} />
      </head>
      <body>
        <Providers
          locale={locale}
          messages={messagesOf(locale)}
          nonce={nonce}
          timeZone={await getZone()}
          now={requestedAt()}
        >
          {children}
        </Providers>
      </body>
    </html>
  );
}

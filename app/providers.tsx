"use client";

import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { IntlProvider } from "use-intl";
import type { Locale } from "./_i18n/locales";
import type { Messages } from "./_i18n/messages";
import { ZONE_COOKIE } from "./_i18n/zone";
import { cssVariables, theme } from "./theme";

type Props = {
  locale: Locale;
  messages: Messages;
  nonce: string;
  /** As far as the server knows it. */
  timeZone: string;
  /** When the page was asked for, in milliseconds: what it says of the time begins with that, there and here. */
  now: number;
  children: ReactNode;
};

const YEAR_SECONDS = 31_536_000;

/** Days and times are the reader's: a first page may have to put right what the server could not know. */
function useOwnZone(known: string): string {
  const [zone, setZone] = useState(known);
  useEffect(() => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    setZone(own);
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
    document.cookie = `${ZONE_COOKIE}=${own}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  }, []);
  return zone;
}

/** Mantine's own buttons that show nothing but a cross, named in the reader's language. */
const namedCrosses = (name: string) => ({
  components: {
    ModalCloseButton: { defaultProps: { "aria-label": name } },
    DrawerCloseButton: { defaultProps: { "aria-label": name } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": name } } },
  },
});

/** Under this name the scroll lock of dialogs, which writes a style element of its own, looks for a nonce. */
function shareNonce(nonce: string): string {
  if (typeof window !== "undefined") {
    Object.assign(window, { __webpack_nonce__: nonce });
  }
  return nonce;
}

/** What every page stands on: language, theme, notices, state in the address. */
export function Providers({ locale, messages, nonce, timeZone, now, children }: Props) {
  const { close } = messages.common;
  // The document's. What the server renders later comes with another one, which the browser would not accept.
  const [documentNonce] = useState(() => shareNonce(nonce));
  const zone = useOwnZone(timeZone);
  const loadedAt = useMemo(() => new Date(now), [now]);
  const named = useMemo(() => mergeThemeOverrides(theme, namedCrosses(close)), [close]);
  return (
    <IntlProvider locale={locale} messages={messages} timeZone={zone} now={loadedAt}>
      <MantineProvider
        theme={named}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => documentNonce}
      >
        {/* The upper corner has the menu of the person and the button of the page, which a notice that stays would cover. */}
        <Notifications position="bottom-right" />
        <NuqsAdapter>{children}</NuqsAdapter>
      </MantineProvider>
    </IntlProvider>
  );
}

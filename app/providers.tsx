"use client";

import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { IntlProvider } from "use-intl";
import type { Locale } from "./_i18n/locales";
import type { Messages } from "./_i18n/messages";
import { ZONE_COOKIE } from "./_i18n/zone";
import { keepCookie } from "./keep-cookie";
import { cssVariables, theme } from "./theme";

type Props = {
  locale: Locale;
  messages: Messages;
  nonce: string;
  /** The reader's zone as far as the server knows it. */
  timeZone: string;
  /** The time of the request, in milliseconds: server and browser both render with it first. */
  now: number;
  children: ReactNode;
};

/** Days and times are in the reader's zone. The first page may correct the zone, which the server could not know. */
function useOwnZone(initialZone: string): string {
  const [zone, setZone] = useState(initialZone);
  useEffect(() => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    setZone(own);
    keepCookie(ZONE_COOKIE, own);
  }, []);
  return zone;
}

/** Mantine's close buttons, which show only a cross, named in the reader's language. */
const namedCrosses = (name: string) => ({
  components: {
    ModalCloseButton: { defaultProps: { "aria-label": name } },
    DrawerCloseButton: { defaultProps: { "aria-label": name } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": name } } },
  },
});

/** The scroll lock of dialogs writes its own style element and looks for a nonce under this name. */
function shareNonce(nonce: string): string {
  if (typeof window !== "undefined") {
    Object.assign(window, { __webpack_nonce__: nonce });
  }
  return nonce;
}

/** The providers of every page: language, theme, notices, state in the address. */
export function Providers({ locale, messages, nonce, timeZone, now, children }: Props) {
  const { close } = messages.common;
  // The document's nonce. A later server render has another nonce, which the browser would not accept.
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
        {/* At the top right, a lasting notice would cover the user's menu and the page's button. */}
        <Notifications position="bottom-right" />
        <NuqsAdapter>{children}</NuqsAdapter>
      </MantineProvider>
    </IntlProvider>
  );
}

"use client";

import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useMemo, useState } from "react";
import { IntlProvider } from "use-intl";
import type { Locale } from "./_i18n/locales";
import type { Messages } from "./_i18n/messages";
import { cssVariables, theme } from "./theme";

type Props = { locale: Locale; messages: Messages; nonce: string; children: ReactNode };

/** Days and times are the reader's. What the server renders ahead has none in it. */
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

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
export function Providers({ locale, messages, nonce, children }: Props) {
  const { close } = messages.common;
  // The document's. What the server renders later comes with another one, which the browser would not accept.
  const [documentNonce] = useState(() => shareNonce(nonce));
  const named = useMemo(() => mergeThemeOverrides(theme, namedCrosses(close)), [close]);
  return (
    <IntlProvider locale={locale} messages={messages} timeZone={timeZone}>
      <MantineProvider
        theme={named}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => documentNonce}
      >
        <Notifications position="top-right" />
        <NuqsAdapter>{children}</NuqsAdapter>
      </MantineProvider>
    </IntlProvider>
  );
}

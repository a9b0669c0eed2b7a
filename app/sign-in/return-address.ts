import { addresses } from "../addresses";
import type { Notice } from "./notice";

/** Any origin that is nobody's: an address that leaves it leads elsewhere. */
const ORIGIN = "http://console.invalid";
const MAX_CHARACTERS = 4_000;

/**
 * No place to come back to: what is no page, and the pages in front of the console, where there is nothing left to do.
 * The link of a password has its token in the fragment, which would become a part of the query here.
 */
const notPlaces = /^\/(?:api|v1|_next|sign-in|set-password|change-password)(?:\/|$)/;

/**
 * Where a sign-in leads back to: a page of this console, as path, query and fragment; `/` for anything else, another
 * site above all. It is the parser's reading that is checked and used, for browsers read `\`, tabs and dots their own
 * way.
 */
export function returnAddress(asked: unknown): string {
  if (typeof asked !== "string" || asked.length > MAX_CHARACTERS || !URL.canParse(asked, ORIGIN)) {
    return addresses.overview();
  }
  const { origin, pathname, search, hash } = new URL(asked, ORIGIN);
  const isPage = asked.startsWith("/") && origin === ORIGIN && !pathname.startsWith("//");
  return isPage && !notPlaces.test(pathname) ? `${pathname}${search}${hash}` : addresses.overview();
}

/** The sign-in page for who shall come back to `address`. `notice` says why. */
export function signInAddress(address: string, notice?: Notice): string {
  const back = returnAddress(address);
  return addresses.signIn({ ...(notice && { notice }), ...(back !== addresses.overview() && { to: back }) });
}

/** The page that the browser shows. */
export const currentAddress = (): string =>
  `${window.location.pathname}${window.location.search}${window.location.hash}`;

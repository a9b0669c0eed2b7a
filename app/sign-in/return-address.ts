import { addresses } from "../addresses";
import type { Notice } from "./notice";

/** An origin that does not exist: a parsed address with another origin leads elsewhere. */
const ORIGIN = "http://console.invalid";
const MAX_CHARACTERS = 4_000;

/**
 * Paths to which a sign-in must not return: those that are not pages, and the pages outside the console, where
 * nothing is left to do. A link to set a password has its token in the fragment, which would become a part of the
 * query here.
 */
const notPlaces = /^\/(?:api|v1|_next|sign-in|set-password|change-password)(?:\/|$)/;

/**
 * The address to which a sign-in returns: a page of this console, as path, query and fragment; `/` for anything else,
 * especially another site. The parsed address is checked and used, because browsers interpret `\`, tabs and dots in
 * their own way.
 */
export function returnAddress(address: unknown): string {
  if (typeof address !== "string" || address.length > MAX_CHARACTERS || !URL.canParse(address, ORIGIN)) {
    return addresses.overview();
  }
  const { origin, pathname, search, hash } = new URL(address, ORIGIN);
  const isPage = address.startsWith("/") && origin === ORIGIN && !pathname.startsWith("//");
  return isPage && !notPlaces.test(pathname) ? `${pathname}${search}${hash}` : addresses.overview();
}

/** The address of the sign-in page that returns to `address`. `notice`: the reason to show. */
export function signInAddress(address: string, notice?: Notice): string {
  const back = returnAddress(address);
  return addresses.signIn({ ...(notice && { notice }), ...(back !== addresses.overview() && { to: back }) });
}

/** The address of the current page. */
export const currentAddress = (): string =>
  `${window.location.pathname}${window.location.search}${window.location.hash}`;

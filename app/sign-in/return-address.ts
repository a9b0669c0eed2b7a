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
    return "/";
  }
  const { origin, pathname, search, hash } = new URL(asked, ORIGIN);
  const isPage = asked.startsWith("/") && origin === ORIGIN && !pathname.startsWith("//");
  return isPage && !notPlaces.test(pathname) ? `${pathname}${search}${hash}` : "/";
}

/** The sign-in page for who shall come back to `address`. `notice` says why: one of `notices`. */
export function signInAddress(address: string, notice?: string): string {
  const back = returnAddress(address);
  const query = new URLSearchParams({ ...(notice && { notice }), ...(back !== "/" && { to: back }) });
  return query.size === 0 ? "/sign-in" : `/sign-in?${query}`;
}

/** The page that the browser shows. */
export const currentAddress = (): string =>
  `${window.location.pathname}${window.location.search}${window.location.hash}`;

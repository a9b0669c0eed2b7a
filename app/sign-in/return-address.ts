/** Any origin that is nobody's: an address that leaves it leads elsewhere. */
const ORIGIN = "http://console.invalid";
const MAX_CHARACTERS = 4_000;

/** Not pages: what a browser would show of them is no place to come back to. */
const notPages = /^\/(?:api|v1|_next|sign-in)(?:\/|$)/;

/**
 * Where a sign-in leads back to: a page of this console, as path, query and fragment; `/` for anything else, another site
 * above all. It is the parser's reading that is checked and used, for browsers read `\`, tabs and dots their own way.
 */
export function returnAddress(asked: unknown): string {
  if (typeof asked !== "string" || asked.length > MAX_CHARACTERS || !URL.canParse(asked, ORIGIN)) {
    return "/";
  }
  const { origin, pathname, search, hash } = new URL(asked, ORIGIN);
  const isPage = asked.startsWith("/") && origin === ORIGIN && !pathname.startsWith("//");
  return isPage && !notPages.test(pathname) ? `${pathname}${search}${hash}` : "/";
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

const YEAR_SECONDS = 31_536_000;

/** Keeps a choice for a year in a cookie, so that the server renders the next page with it. */
export function keepCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/** The reader's time zone, which only their browser knows: kept for the next page that the server renders. */
export const ZONE_COOKIE = "tollgate.zone";

/** What a cookie says, if it is a zone; UTC else. */
export function chooseZone(said: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: said ?? "UTC" }).resolvedOptions().timeZone;
  } catch {
    // No name of a zone: the browser puts it right once it runs.
    return "UTC";
  }
}

/** The reader's time zone, which only the browser knows: stored for the next page that the server renders. */
export const ZONE_COOKIE = "tollgate.zone";

/** The cookie's value if it is a time zone; else UTC. */
export function chooseZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone ?? "UTC" }).resolvedOptions().timeZone;
  } catch {
    // Not a time zone: the browser corrects it once its script runs.
    return "UTC";
  }
}

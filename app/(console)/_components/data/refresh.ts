/** How often a visible page refreshes data in progress. */
export const FOLLOW_MS = 5_000;

/** How often a visible page refreshes figures that every call changes. */
export const FIGURES_MS = 15_000;

/** How often a visible page refreshes warnings and sums of all accounts, which the server collects from many rows. */
export const SUMS_MS = 60_000;

/**
 * How often figures of a span refresh: not at all if the span is over. A span that ended a moment ago refreshes once more,
 * because "today" has become another day.
 */
export const untilEnd =
  (everyMs: number) =>
  ({ state }: { state: { data: { end: string | Date } | undefined } }): number | false =>
    state.data !== undefined && new Date(state.data.end).getTime() > Date.now() - 2 * everyMs && everyMs;

/** How often a visible page refreshes data in progress. */
export const FOLLOW_MS = 5_000;

/** How often a visible page refreshes figures that every call changes. */
export const FIGURES_MS = 15_000;

/** How often a visible page refreshes warnings, which the server collects from many tables. */
export const WARNINGS_MS = 60_000;

const isWhole = process.env.CASES === "all";

/**
 * Every `of`-th case of a table whose cases are many and costly. Each commit draws others (TEST_SEED), so that a few
 * commits make all; `CASES=all` makes all at once (`npm run test:large`).
 */
export function drawnCases<T>(cases: readonly T[], of = 4): T[] {
  const first = Number(process.env.TEST_SEED) % of;
  if (Number.isNaN(first)) {
    throw new Error("TEST_SEED is missing");
  }
  return cases.filter((_, index) => isWhole || index % of === first);
}

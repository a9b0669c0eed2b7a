import type { Changed } from "./changed-members";

/** The members that a new object is about, if nothing was replaced. */
const TELLING = ["quota", "amount", "prices", "factor", "role", "priceGroup", "models", "url", "isReadOnly"];

const rankOf = ({ path: [first = ""], before, after }: Changed, targetName: string | undefined): number => {
  if (before !== null && after !== null) {
    return 0;
  }
  if (TELLING.includes(first)) {
    return 1;
  }
  return first === "name" && after === targetName ? 3 : 2;
};

/** The changes, the most telling first: a replaced value, then what a new object is about; its name is last. */
export const mostTelling = (changes: readonly Changed[], targetName?: string): Changed[] =>
  changes.toSorted((left, right) => rankOf(left, targetName) - rankOf(right, targetName));

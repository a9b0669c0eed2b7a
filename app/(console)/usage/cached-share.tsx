import { useFormatter } from "use-intl";

type CachedCounts = { cachedTokens: number; cachedOfTokens: number };

/** The share of input that was read from a cache: 0.5 is half of it; null: unknown for all of it. */
export const cachedShareOf = ({ cachedTokens, cachedOfTokens }: CachedCounts): number | null =>
  cachedOfTokens > 0 ? cachedTokens / cachedOfTokens : null;

export function CachedShare({ counts }: { counts: CachedCounts }) {
  const format = useFormatter();
  const share = cachedShareOf(counts);
  return share === null
    ? "—"
    : format.number(share, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

import { useFormatter } from "use-intl";

type Counted = { cachedTokens: number; cachedOfTokens: number };

/** How much of the input was read from a cache: 0.5 is half of it; null: of none of it is that known. */
export const cachedShareOf = ({ cachedTokens, cachedOfTokens }: Counted): number | null =>
  cachedOfTokens > 0 ? cachedTokens / cachedOfTokens : null;

export function CachedShare({ of }: { of: Counted }) {
  const format = useFormatter();
  const share = cachedShareOf(of);
  return share === null ? "–" : format.number(share, { style: "percent", maximumFractionDigits: 1 });
}

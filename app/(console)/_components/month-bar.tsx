import type { Month } from "@/server/console";

/** How much of the month is used and frozen. Approximate: for the eye, the figures stand beside it. */
export function MonthBar({ month }: { month: Month }) {
  const total = Number(month.quota) + Number(month.topups);
  const percentOf = (part: string) => (total > 0 ? Math.min(100, (Number(part) / total) * 100) : 0);
  const used = percentOf(month.used);
  const frozen = Math.min(percentOf(month.frozen), 100 - used);
  const label = `已用 ${used.toFixed(1)}%,冻结 ${frozen.toFixed(1)}% · ${used.toFixed(1)}% used, ${frozen.toFixed(1)}% frozen`;
  return (
    <svg className="month-bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect className="rest" width="100" height="4" />
      <rect className="used" width={used} height="4" />
      <rect className="frozen" x={used} width={frozen} height="4" />
    </svg>
  );
}

import { Progress } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useAmount } from "../text/use-amount";

/** Decimal strings in currency units. */
export type QuotaMonth = {
  quota: string;
  topups: string;
  /** Refunds that `topups` does not include. Absent: `topups` includes them. */
  refunds?: string;
  used: string;
  frozen: string;
  available: string;
};

/** A part of a whole in percent, to draw only. */
const share = (part: number, whole: number) => (whole > 0 ? Math.min(100, (part / whole) * 100) : 0);

/** A month's money as one bar: used, frozen, and available. Its label gives screen readers the figures. */
export function QuotaBar({ month, size = "md" }: { month: QuotaMonth; size?: "sm" | "md" | "lg" }) {
  const t = useTranslations("accounts");
  const amount = useAmount("short");
  const [used, frozen, available] = [month.used, month.frozen, month.available].map(Number) as [
    number,
    number,
    number,
  ];
  const whole = used + frozen + Math.max(0, available);
  const label = t("bar", {
    used: amount(month.used),
    frozen: amount(month.frozen),
    available: amount(month.available),
  });
  return (
    <Progress.Root size={size} w="100%" miw={96} role="img" aria-label={label}>
      <Progress.Section value={share(used, whole)} color={available > 0 ? "brand" : "red"} withAria={false} />
      <Progress.Section value={share(frozen, whole)} color="orange" withAria={false} />
    </Progress.Root>
  );
}

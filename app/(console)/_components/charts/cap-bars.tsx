import { Progress, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { CapWindow } from "@/server/domain/cap-windows";
import { useAmount } from "../text/use-amount";
import { useMomentOf } from "../text/use-moment-of";

/** The use of a cap in the current window; money as decimals. */
type CapUse = { window: CapWindow; cap: string; spent: string; isOver: boolean; until: string };

/** From this share of the cap on, the bar warns that calls will soon be refused. */
const NEAR = 0.8;

function colorOf(share: number): string {
  if (share >= 1) {
    return "red";
  }
  return share >= NEAR ? "orange" : "brand";
}

/** For drawing only: the figures are exact. */
const shareOf = ({ cap, spent }: CapUse) => (Number(cap) > 0 ? Number(spent) / Number(cap) : 1);

/** Caps and their use; for a cap that is used up, also the moment when its window ends. */
export function CapBars({ caps }: { caps: CapUse[] }) {
  const t = useTranslations("caps");
  const amount = useAmount("short");
  const momentOf = useMomentOf();
  return (
    <Stack gap="xs" miw={130} className="cap-bars">
      {caps.map((use) => {
        const share = shareOf(use);
        const { window, cap, spent, isOver, until } = use;
        return (
          <Stack key={window} gap={4}>
            <Text size="xs" className="money">
              {t(`of.${window}`, { spent: amount(spent), cap: amount(cap) })}
            </Text>
            <Progress
              value={Math.min(share, 1) * 100}
              color={colorOf(share)}
              size="sm"
              aria-label={t("bar", { share, window })}
            />
            {isOver && (
              <Text size="xs" c="red">
                {t("over", { moment: momentOf(until) })}
              </Text>
            )}
          </Stack>
        );
      })}
    </Stack>
  );
}

import { Stack } from "@mantine/core";
import { CapBars } from "../_components/charts/cap-bars";
import { ShortMoney } from "../_components/text/money";
import type { KeyRow } from "./key";

/** A key's spend this month, with each of its caps. */
export function KeySpend({ entry }: { entry: Pick<KeyRow, "spent" | "monthlyCap" | "capUse"> }) {
  const { spent, monthlyCap, capUse } = entry;
  return capUse.length === 0 ? (
    <ShortMoney value={spent} />
  ) : (
    <Stack gap="xs">
      {monthlyCap === null && <ShortMoney value={spent} />}
      <CapBars caps={capUse} />
    </Stack>
  );
}

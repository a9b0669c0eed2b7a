import { Anchor, Group, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useTRPC } from "../_components/data/trpc";
import { useAmount } from "../_components/text/use-amount";

/** A charge is booked with the answer; after an aborted call, moments later. */
const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 10_000;

/** A call's charge, from the ledger, and a link to its record. */
export function Charge({ requestId }: { requestId: string }) {
  const t = useTranslations("playground");
  const trpc = useTRPC();
  const amount = useAmount();
  const [giveUpAt] = useState(() => Date.now() + PATIENCE_MS);
  const query = useQuery(
    trpc.playground.charge.queryOptions(
      { requestId },
      {
        refetchInterval: ({ state }) =>
          state.data || state.error || Date.now() > giveUpAt ? false : LOOK_EVERY_MS,
      },
    ),
  );
  const { data } = query;
  const isLooking = !data && !query.error && query.dataUpdatedAt < giveUpAt;
  const text = () => {
    if (data) {
      return data.isCharged ? t("cost", { amount: amount(data.cost) }) : t("returned");
    }
    return isLooking ? t("chargePending") : t("chargeUnknown");
  };
  return (
    <Group gap="sm">
      {isLooking && <Loader size={14} aria-hidden />}
      <Text size="sm" fw={600} data-figure role="status">
        {text()}
      </Text>
      <Anchor component={Link} href={addresses.requests({ request: requestId })} size="sm" underline="always">
        {t("details")}
      </Anchor>
    </Group>
  );
}

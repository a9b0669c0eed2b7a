import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { CallSummary } from "../../requests/call-summary";

/** Short, because the operator and the customer may be on the phone. Only while the page is visible. */
const LOOK_MS = 2_000;

/** Waits for the first charged request of a customer, and shows how its cost was calculated. */
export function FirstRequest({ accountId }: { accountId: string }) {
  const t = useTranslations("sale");
  const { allCalls } = useTRPC();
  const list = useQuery(
    allCalls.list.queryOptions(
      { accountId },
      { refetchInterval: ({ state }) => (state.data?.rows.some(isCharged) ? false : LOOK_MS) },
    ),
  );
  const requestId = list.data?.rows.findLast(isCharged)?.requestId;
  const found = useQuery({
    ...allCalls.get.queryOptions({ requestId: requestId ?? "" }),
    enabled: requestId !== undefined,
  });
  return (
    <Card
      title={t(found.data ? "firstTitle" : "waitTitle")}
      text={found.data ? undefined : t("waitText")}
      aside={
        <Anchor component={Link} href={addresses.allRequests({ account: accountId, live: true })} size="sm">
          {t("watchLink")}
        </Anchor>
      }
    >
      <Stack aria-live="polite" gap="sm">
        {found.data ? <CallSummary call={found.data} /> : <Text size="sm">{t("wait")}</Text>}
      </Stack>
    </Card>
  );
}

const isCharged = ({ cost }: { cost: string | null }) => Number(cost ?? 0) > 0;

import { Anchor, Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useTRPC } from "../_components/data/trpc";
import { CallSummary } from "../requests/call-summary";

/** The first charged call, and how its cost was calculated. */
export function FirstCall({ requestId, onDone }: { requestId: string; onDone: () => void }) {
  const t = useTranslations("overview");
  const { data: call } = useQuery(useTRPC().calls.get.queryOptions({ requestId }));
  if (!call) {
    return null;
  }
  return (
    <Stack gap="sm">
      <CallSummary call={call} />
      <Group gap="md">
        <Button variant="default" onClick={onDone}>
          {t("stepsHide")}
        </Button>
        <Anchor component={Link} href={addresses.requests({ request: requestId })} size="sm">
          {t("firstCallOpen")}
        </Anchor>
      </Group>
    </Stack>
  );
}

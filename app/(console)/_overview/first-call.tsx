import { Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FigureList } from "../_components/cards/figure-list";
import { useTRPC } from "../_components/data/trpc";
import { Money } from "../_components/text/money";
import { inputTokens } from "../requests/call";
import { ChargeReason } from "../requests/charge-reason";
import { useDuration } from "../requests/use-duration";

/** The first charged call: its model, tokens, time and exact cost, and how the cost was calculated. */
export function FirstCall({ requestId, onDone }: { requestId: string; onDone: () => void }) {
  const t = useTranslations("overview");
  const requests = useTranslations("requests");
  const format = useFormatter();
  const duration = useDuration();
  const { data: call } = useQuery(useTRPC().calls.get.queryOptions({ requestId }));
  if (!call) {
    return null;
  }
  const input = inputTokens(call);
  const tokens =
    input === null || !call.tokens
      ? "—"
      : requests("tokenPair", { input: format.number(input), output: format.number(call.tokens.output) });
  return (
    <Stack gap="sm">
      <FigureList
        figures={[
          {
            id: "model",
            name: requests("model"),
            value: <span className="wrap-anywhere">{call.modelId}</span>,
          },
          { id: "tokens", name: requests("tokensInOut"), value: tokens },
          { id: "took", name: requests("took"), value: duration(call.elapsedMs) },
          { id: "cost", name: requests("cost"), value: <Money value={call.cost ?? "0"} decimals={9} /> },
        ]}
      />
      <Title order={3} size="h5">
        {requests("whyTitle")}
      </Title>
      <ChargeReason call={call} />
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

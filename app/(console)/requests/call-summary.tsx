import { Stack, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { FigureList } from "../_components/cards/figure-list";
import { Money } from "../_components/text/money";
import { type CallDetail, inputTokens } from "./call";
import { ChargeReason } from "./charge-reason";
import { useDuration } from "./use-duration";

/** A charged call: its model, tokens, time and exact cost, and how the cost was calculated. */
export function CallSummary({ call }: { call: CallDetail }) {
  const t = useTranslations("requests");
  const format = useFormatter();
  const duration = useDuration();
  const input = inputTokens(call);
  const tokens =
    input === null || !call.tokens
      ? "—"
      : t("tokenPair", { input: format.number(input), output: format.number(call.tokens.output) });
  return (
    <Stack gap="sm">
      <FigureList
        figures={[
          { id: "model", name: t("model"), value: <span className="wrap-anywhere">{call.modelId}</span> },
          { id: "tokens", name: t("tokensInOut"), value: tokens },
          { id: "took", name: t("took"), value: duration(call.elapsedMs) },
          { id: "cost", name: t("cost"), value: <Money value={call.cost ?? "0"} decimals={9} /> },
        ]}
      />
      <Title order={3} size="h5">
        {t("whyTitle")}
      </Title>
      <ChargeReason call={call} />
    </Stack>
  );
}

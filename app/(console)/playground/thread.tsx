import { Button, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { IconPlayerStop, IconRefresh, IconScissors } from "@tabler/icons-react";
import { useFormatter, useTranslations } from "use-intl";
import { CopyButton } from "../_components/snippets/copy-button";
import { Dimmed } from "../_components/tables/dimmed";
import { StatusBadge } from "../_components/tables/status-badge";
import { Charge } from "./charge";
import type { Exchange } from "./exchange";
import { FailureNote } from "./failure-note";

/** A question and its answer. `onRetry`: null if it cannot be asked again. */
export function ExchangeView({ exchange, onRetry }: { exchange: Exchange; onRetry: (() => void) | null }) {
  const t = useTranslations("playground");
  const retry = onRetry && (
    <Button size="xs" variant="default" onClick={onRetry} leftSection={<IconRefresh size={14} aria-hidden />}>
      {t("askAgain")}
    </Button>
  );
  return (
    <Stack component="article" gap="xs">
      <Paper bg="var(--mantine-color-default-hover)" p="sm" ml={{ base: 0, sm: "xl" }}>
        <Text size="xs" fw={600} mb={4}>
          {t("you")}
        </Text>
        <Text size="sm" className="answer-text">
          {exchange.prompt}
        </Text>
      </Paper>
      <Paper withBorder p="sm">
        <Group justify="space-between" mb={4} gap="xs" wrap="nowrap">
          <Text size="xs" fw={600} className="wrap-anywhere">
            {exchange.model}
          </Text>
          {exchange.text !== "" && <CopyButton value={exchange.text} label={t("copyAnswer")} />}
        </Group>
        <Answer exchange={exchange} />
        {exchange.failure && <FailureNote failure={exchange.failure} action={retry} />}
        <Account exchange={exchange} />
      </Paper>
    </Stack>
  );
}

function Answer({ exchange }: { exchange: Exchange }) {
  const t = useTranslations("playground");
  const { text, reasoning, state } = exchange;
  const isRunning = state === "running";
  return (
    <Stack gap="xs">
      {reasoning !== "" && (
        // Open until the answer's text begins.
        <details className="answer-reasoning" open={text === ""}>
          <Text component="summary" size="sm" fw={600}>
            {t("reasoning")}
          </Text>
          <Text size="sm" c="dimmed" className="answer-text">
            {reasoning}
          </Text>
        </details>
      )}
      {text !== "" && (
        <Text size="sm" className="answer-text">
          {text}
        </Text>
      )}
      {isRunning && (
        <Group gap="xs" role="status">
          <Loader size={14} aria-hidden />
          <Dimmed size="xs">{t(reasoning !== "" && text === "" ? "thinking" : "answering")}</Dimmed>
        </Group>
      )}
      {state === "done" && text === "" && (
        <Dimmed>{t(reasoning === "" ? "emptyAnswer" : "onlyReasoning")}</Dimmed>
      )}
    </Stack>
  );
}

/** The use of a call: tokens, time and money. */
function Account({ exchange }: { exchange: Exchange }) {
  const t = useTranslations("playground");
  const format = useFormatter();
  const { state, firstWordMs, elapsedMs, requestId } = exchange;
  if (state === "running" || state === "failed") {
    return null;
  }
  // Token counts come with the end of the stream; for a stopped answer only the ledger has them.
  const usage = state === "done" ? exchange.usage : null;
  const seconds = (ms: number) => format.number(ms / 1_000, { maximumFractionDigits: 1 });
  const facts = [
    usage?.input !== undefined && t("tokensIn", { count: usage.input }),
    Boolean(usage?.cached) && t("tokensCached", { count: usage?.cached ?? 0 }),
    usage?.output !== undefined && t("tokensOut", { count: usage.output }),
    Boolean(usage?.reasoning) && t("tokensReasoning", { count: usage?.reasoning ?? 0 }),
    firstWordMs !== null && t("firstWord", { seconds: seconds(firstWordMs) }),
    elapsedMs !== null && t("elapsed", { seconds: seconds(elapsedMs) }),
  ].filter((fact) => typeof fact === "string");
  return (
    <Stack gap={4} mt="sm">
      <Group gap="xs">
        {state === "stopped" && (
          <StatusBadge tone="quiet" icon={IconPlayerStop} iconSize={14}>
            {t("stopped")}
          </StatusBadge>
        )}
        {["length", "max_tokens"].includes(exchange.finish ?? "") && (
          <StatusBadge tone="warn" icon={IconScissors} iconSize={14}>
            {t("cutOff")}
          </StatusBadge>
        )}
        {facts.map((fact) => (
          <Text key={fact} size="xs" c="dimmed" data-figure>
            {fact}
          </Text>
        ))}
      </Group>
      {requestId && <Charge requestId={requestId} />}
    </Stack>
  );
}

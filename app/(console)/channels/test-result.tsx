import { Alert, Group, Loader, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "../_components/snippets/code-block";
import { useNow } from "../_components/text/use-now";
import type { TestResult as Result } from "./channel";

/** Shown while the upstream works on the test. */
export function TestWaiting() {
  const t = useTranslations("channels");
  const [from] = useState(() => Date.now());
  const seconds = Math.max(0, Math.round((useNow(1_000) - from) / 1_000));
  return (
    <Group gap="xs">
      <Loader size="xs" aria-hidden />
      <Text size="sm">{t("testRunning", { seconds })}</Text>
    </Group>
  );
}

/** An upstream's answer to a test. */
export function TestResult({ result }: { result: Result }) {
  const t = useTranslations("channels");
  const { ok, status, latencyMs, message, usage, isStream, modelId, upstreamName } = result;
  const Icon = ok ? IconCircleCheck : IconCircleX;
  const facts = [
    t("testFacts", { model: modelId, upstream: upstreamName }),
    status === null ? t("testNoStatus") : t("testStatus", { status: String(status) }),
    t("testLatency", { ms: latencyMs }),
  ];
  return (
    <Alert color={ok ? "green" : "red"} icon={<Icon aria-hidden />} title={t(ok ? "testOk" : "testNotOk")}>
      <Stack gap="xs">
        <Text size="sm" className="wrap-anywhere">
          {facts.join(" · ")}
        </Text>
        {ok && status !== null && (
          <Text size="sm">
            {usage
              ? t("testUsage", { input: usage.inputTokens, output: usage.outputTokens })
              : t(isStream ? "testNoStreamUsage" : "testNoUsage")}
          </Text>
        )}
        {message !== "ok" && message !== "" && (
          <>
            <Text size="sm">{t("testWords")}</Text>
            <CodeBlock code={message} label={t("testWords")} />
          </>
        )}
      </Stack>
    </Alert>
  );
}

import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId } from "react";
import { useTranslations } from "use-intl";
import { useSignedIn } from "../_components/shell/use-signed-in";
import { CodeBlock } from "../_components/snippets/code-block";
import type { CallFailure } from "./call";
import { Charge } from "./charge";

/** After these errors a charge is still possible. */
const UNSETTLED = ["billing_failed", "interrupted", "unreachable"];

/** Indents JSON; other text stays as it came. */
function pretty(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw;
  }
}

/** A call that failed: what happened, whether money moved, what to do, and the answer itself. */
export function FailureNote({ failure, action }: { failure: CallFailure; action?: ReactNode }) {
  const t = useTranslations("playground");
  const title = useId();
  const { status, slug, requestId, raw } = failure;
  const name = `failures.${slug}` as Parameters<typeof t.has>[0];
  const isSignedIn = useSignedIn();
  useEffect(() => {
    if (slug === "signed_out") {
      void isSignedIn();
    }
  }, [slug, isSignedIn]);
  const text = t.has(name) ? t(name as "failures.other") : t("failures.other");
  return (
    <Alert
      color="red"
      role="alert"
      aria-labelledby={title}
      // Without this, long lines of the answer would stretch it.
      styles={{ body: { minWidth: 0 } }}
      icon={<IconAlertTriangle aria-hidden />}
      title={<span id={title}>{status === null ? t("failed") : t("failedWith", { status })}</span>}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        <Money isSettled={!UNSETTLED.includes(slug)} requestId={requestId} />
        {raw !== "" && (
          <details className="answer-raw" open>
            <Text component="summary" size="sm">
              {t("rawAnswer")}
            </Text>
            <CodeBlock code={pretty(raw)} label={t("rawAnswer")} />
          </details>
        )}
        {requestId && (
          <Text size="xs" ff="monospace" className="wrap-anywhere">
            {requestId}
          </Text>
        )}
        {action}
      </Stack>
    </Alert>
  );
}

function Money({ isSettled, requestId }: { isSettled: boolean; requestId: string | null }) {
  const t = useTranslations("playground");
  const common = useTranslations("common");
  if (!isSettled && requestId) {
    return <Charge requestId={requestId} />;
  }
  return (
    <Text size="sm" fw={600}>
      {isSettled ? common("nothingCharged") : t("moneyUnknown")}
    </Text>
  );
}

import { Alert, Paper, Stack, Text } from "@mantine/core";
import { IconClockX, IconCoinOff, IconReceiptOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../../_components/data/on-demand";
import { PendingSwitch } from "../../_components/fields/pending-switch";
import { Timestamp } from "../../_components/text/timestamp";
import { useMomentOf } from "../../_components/text/use-moment-of";
import { useNow } from "../../_components/text/use-now";
import { type KeyDetail, stateOf } from "../key";
import { KeyEnds } from "../key-ends";
import { KeySpend } from "../key-spend";
import { KeyStatus } from "../key-status";
import { useSetStatus } from "../use-set-status";

// Few keys have an old secret, and its dialog is larger than the rest of the page.
const RetireSecret = onDemand(() => import("../retire-secret").then((module) => module.RetireSecret));

/** A key's current state and its switch. */
export function KeyFacts({ entry }: { entry: KeyDetail }) {
  const t = useTranslations("keys");
  const { setStatus, isPending } = useSetStatus(entry);
  const momentOf = useMomentOf();
  const isActive = entry.status === "active";
  // The exceeded cap that ends last: until then calls are refused.
  const over = entry.capUse.findLast(({ isOver }) => isOver);
  return (
    <Paper withBorder p="lg">
      <Stack>
        {stateOf(entry, useNow()) === "expired" && (
          <Alert color="orange" icon={<IconClockX aria-hidden />}>
            {t("expiredHint")}
          </Alert>
        )}
        {over && (
          <Alert color="red" icon={<IconCoinOff aria-hidden />}>
            {t("overCapHint", { window: over.window, moment: momentOf(over.until) })}
          </Alert>
        )}
        {entry.isRefused && isActive && (
          <Alert color="orange" icon={<IconReceiptOff aria-hidden />}>
            {t("refusedHint")}
          </Alert>
        )}
        <dl className="facts">
          <Fact label={t("secretLabel")}>
            <KeyEnds entry={entry} />
            {entry.oldLastFour !== null && <RetireSecret entry={entry} />}
          </Fact>
          <Fact label={t("status")}>
            <KeyStatus entry={entry} />
          </Fact>
          <Fact label={t("lastUsed")}>
            {entry.lastUsedAt === null ? t("neverUsed") : <Timestamp at={entry.lastUsedAt} short />}
            {entry.lastAddress !== null && (
              <Text size="xs" c="dimmed" className="wrap-anywhere">
                {t("lastAddress", { address: entry.lastAddress })}
              </Text>
            )}
          </Fact>
          <Fact label={t("created")}>
            <Timestamp at={entry.createdAt} short />
          </Fact>
          <Fact label={t("expires")}>
            {entry.expiresAt === null ? t("neverExpires") : <Timestamp at={entry.expiresAt} short />}
          </Fact>
          <Fact label={t("spent")}>
            <KeySpend entry={entry} />
          </Fact>
        </dl>
        <PendingSwitch
          label={t("switchLabel")}
          description={t("switchHint")}
          isOn={isActive}
          isPending={isPending}
          onSwitch={(isOn) => setStatus(isOn ? "active" : "disabled")}
        />
      </Stack>
    </Paper>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  );
}

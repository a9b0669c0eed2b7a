import { Alert, Anchor, Drawer, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FactRow } from "../_components/cards/fact-row";
import { Identifier } from "../_components/cards/identifier";
import { QueryState } from "../_components/data/query-state";
import { CopyButton } from "../_components/snippets/copy-button";
import { useInstallation } from "../_components/text/installation";
import { Timestamp } from "../_components/text/timestamp";
import { useAmount } from "../_components/text/use-amount";
import { Attempts } from "./attempts";
import type { CallDetail, RequestsSide } from "./call";
import { CallStatus } from "./call-status";
import { ChargeReason, hasReason } from "./charge-reason";
import { customerText } from "./customer-text";
import { Refunds } from "./refunds";
import { useCall } from "./use-calls";
import { useDuration } from "./use-duration";
import { useErrorName } from "./use-error-name";
import { VendorErrorNames } from "./vendor-error";

const Fact = (props: { name: string; children: ReactNode }) => <FactRow width="32%" {...props} />;

/** Errors with a vendor's text, of which the log keeps only the terms of errors. */
const inVendorsWords = ["upstream_rejected", "upstream_failed"];

/** The error message that the client received, or the terms that are kept of it. */
function Told({ message, isOfVendor }: { message: string; isOfVendor: boolean }) {
  const t = useTranslations("requests");
  return (
    <Text size="sm">
      {t(isOfVendor ? "errorTerms" : "errorMessage")}{" "}
      <Text span inherit ff="monospace" style={{ overflowWrap: "anywhere" }}>
        {message}
      </Text>
    </Text>
  );
}

/** The error, the state of the money, and advice. */
export function Failure({ side, call, error }: { side: RequestsSide; call: CallDetail; error: string }) {
  const t = useTranslations("requests");
  const amount = useAmount();
  const errorName = useErrorName();
  const name = `errors.${error}.advice` as Parameters<typeof t.has>[0];
  const money = {
    charged: t("chargedAnyway", { amount: amount(call.cost ?? "0") }),
    returned: t("returnedText", { amount: amount(call.held ?? "0") }),
    frozen: t("frozenText"),
    none: t("refusedText"),
  }[call.money];
  const advice = t(t.has(name) ? (name as "errors.internal.advice") : "errors.other.advice");
  const text = customerText(
    { ...call, happened: errorName(error), money, advice },
    {
      ...{ id: t("id"), time: t("time"), model: t("model") },
      ...{
        happened: t("forCustomer.happened"),
        money: t("forCustomer.money"),
        advice: t("forCustomer.advice"),
      },
    },
  );
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={errorName(error)}>
      <Stack gap={4} align="flex-start">
        <Text size="sm">{advice}</Text>
        {call.errorMessage && (
          <Told message={call.errorMessage} isOfVendor={inVendorsWords.includes(error)} />
        )}
        {call.vendorError && <VendorErrorNames error={call.vendorError} />}
        <Text size="sm" fw={600}>
          {money}
        </Text>
        {side === "operator" && <CopyButton full value={text} label={t("forCustomer.copy")} />}
      </Stack>
    </Alert>
  );
}

/** The channel that served the call, or the last that was tried. */
function ServedBy({ call: { channel, attempts } }: { call: CallDetail }) {
  const t = useTranslations("requests");
  const last = attempts?.at(-1)?.channel;
  if (channel === undefined || channel === null) {
    return last ? t("lastTried", { channel: last.name || t("removedChannel") }) : t("noChannel");
  }
  return channel.name || channel.id;
}

function Behind({ call }: { call: CallDetail }) {
  const t = useTranslations("requests");
  const { account } = call;
  return account ? (
    <>
      <Fact name={t("account")}>
        <Anchor component={Link} href={addresses.account(account.id)} inherit underline="always">
          {account.name || account.id}
        </Anchor>
      </Fact>
      <Fact name={t("channel")}>
        <ServedBy call={call} />
      </Fact>
    </>
  ) : null;
}

function KeyFact({ side, call }: { side: RequestsSide; call: CallDetail }) {
  const t = useTranslations("requests");
  const { id, name, lastFour, isDeleted } = call.key;
  const label = lastFour ? `${name} …${lastFour}` : name || id;
  return (
    <Fact name={t("key")}>
      {side === "owner" && !isDeleted && lastFour !== "" ? (
        <Anchor component={Link} href={addresses.key(id)} inherit underline="always">
          {label}
        </Anchor>
      ) : (
        label
      )}
      {isDeleted && ` ${t("deletedKey")}`}
    </Fact>
  );
}

/** The members of the request that the upstream did not get, each with the reason. */
function Ignored({ members }: { members: NonNullable<CallDetail["ignored"]> }) {
  const t = useTranslations("requests");
  return (
    <Fact name={t("ignored")}>
      {members.map(({ member, reason }) => (
        <Text key={member} size="sm" style={{ overflowWrap: "anywhere" }}>
          <Text span inherit ff="monospace">
            {member}
          </Text>{" "}
          <Text span inherit c="dimmed">
            {t(`ignoredReasons.${reason}`)}
          </Text>
        </Text>
      ))}
    </Fact>
  );
}

export function Facts({ side, call }: { side: RequestsSide; call: CallDetail }) {
  const t = useTranslations("requests");
  const duration = useDuration();
  const { endpointLabels } = useInstallation();
  const tasks = side === "owner" ? addresses.videos : addresses.allVideos;
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        <Fact name={t("id")}>
          <Identifier id={call.requestId} label={t("copyId", { id: call.requestId })} />
        </Fact>
        <Fact name={t("time")}>
          <Timestamp at={call.startedAt} exact />
        </Fact>
        <Fact name={t("model")}>{call.modelId ?? t("noModel")}</Fact>
        <Fact name={t("endpoint")}>
          {endpointLabels[call.endpoint] ?? call.endpoint}
          {call.isStream && ` ${t("streamed")}`}
        </Fact>
        {call.ignored && <Ignored members={call.ignored} />}
        <KeyFact side={side} call={call} />
        <Behind call={call} />
        {call.taskId !== null && (
          <Fact name={t("task")}>
            <Anchor
              component={Link}
              href={tasks({ task: call.taskId })}
              inherit
              ff="monospace"
              underline="always"
            >
              {call.taskId}
            </Anchor>
          </Fact>
        )}
        <Fact name={t("address")}>{call.address ?? t("noAddress")}</Fact>
        {call.firstTokenMs !== null && <Fact name={t("firstToken")}>{duration(call.firstTokenMs)}</Fact>}
        <Fact name={t("took")}>{duration(call.elapsedMs)}</Fact>
      </Table.Tbody>
    </Table>
  );
}

function Detail({ side, call }: { side: RequestsSide; call: CallDetail }) {
  const t = useTranslations("requests");
  return (
    <Stack>
      <CallStatus call={call} />
      {call.error !== null && <Failure side={side} call={call} error={call.error} />}
      <Facts side={side} call={call} />
      {call.attempts && <Attempts attempts={call.attempts} />}
      {hasReason(call) && (
        <>
          <Title order={3} size="h5">
            {t("whyTitle")}
          </Title>
          <ChargeReason call={call} />
        </>
      )}
      <Refunds side={side} call={call} />
    </Stack>
  );
}

/** One request: its result, and the reasons for its cost. */
export function CallDrawer(props: { side: RequestsSide; requestId: string; onClose: () => void }) {
  const t = useTranslations("requests");
  const common = useTranslations("common");
  const query = useCall(props.side, props.requestId);
  return (
    <Drawer
      opened
      onClose={props.onClose}
      position="right"
      size="lg"
      title={t("detailTitle")}
      closeButtonProps={{ "aria-label": common("close") }}
    >
      {query.data ? <Detail side={props.side} call={query.data} /> : <QueryState query={query} lines={8} />}
    </Drawer>
  );
}

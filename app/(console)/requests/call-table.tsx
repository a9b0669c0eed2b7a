import { Group, Text, UnstyledButton } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { CopyButton } from "../_components/snippets/copy-button";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import type { ServedOrder } from "../_components/tables/served-order";
import { TwoLines } from "../_components/tables/two-lines";
import { ShortMoney } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import { inputTokens, type RequestRow, type RequestsSide } from "./call";
import { CallStatus } from "./call-status";
import { useDuration } from "./use-duration";

/** A request's cost, or the state of its money. A task has one charge, however often its submission was repeated. */
function CallCost({ call }: { call: RequestRow }) {
  const t = useTranslations("requests");
  const isOfTask = call.taskId !== null;
  if (call.cost === null) {
    return <Dimmed>{t(`money.${call.money}`)}</Dimmed>;
  }
  return (
    <span title={isOfTask ? t("ofTask") : undefined}>
      <ShortMoney value={call.cost} />
    </span>
  );
}

/** Input and output tokens; nothing for calls that are not charged by tokens. */
function Tokens({ call }: { call: RequestRow }) {
  const t = useTranslations("requests");
  const format = useFormatter();
  const input = inputTokens(call);
  if (input === null || !call.tokens) {
    return <span aria-hidden>—</span>;
  }
  return t("tokenPair", { input: format.number(input), output: format.number(call.tokens.output) });
}

function Took({ call }: { call: RequestRow }) {
  const t = useTranslations("requests");
  const duration = useDuration();
  const firstToken =
    call.firstTokenMs !== null && t("firstTokenShort", { duration: duration(call.firstTokenMs) });
  return (
    <TwoLines below={firstToken && <span className="unbroken">{firstToken}</span>}>
      <span>{duration(call.elapsedMs)}</span>
    </TwoLines>
  );
}

/** A name with secondary text below it. */
function Named({ name, below }: { name: string; below: string | undefined }) {
  return (
    <TwoLines below={<span className="wrap-anywhere">{below}</span>}>
      <Text size="sm" lineClamp={1} title={name}>
        {name}
      </Text>
    </TwoLines>
  );
}

function RequestId({ id }: { id: string }) {
  const t = useTranslations("requests");
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Text size="xs" ff="monospace" className="unbroken">
        …{id.slice(-6)}
      </Text>
      <CopyButton value={id} label={t("copyId", { id })} />
    </Group>
  );
}

function useColumns(side: RequestsSide, open: (requestId: string) => void): Column<RequestRow>[] {
  const t = useTranslations("requests");
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: (call) => (
        <UnstyledButton onClick={() => open(call.requestId)} className="row-link" maw={300} ta="inherit">
          <TwoLines below={call.endpoint}>
            <Text size="sm" fw={600} title={call.modelId ?? undefined}>
              {call.modelId ?? t("noModel")}
            </Text>
          </TwoLines>
        </UnstyledButton>
      ),
    },
    { id: "time", header: t("time"), onPhone: "bare", cell: (call) => <Timestamp at={call.startedAt} /> },
    side === "owner"
      ? {
          id: "key",
          header: t("key"),
          onPhone: "bare",
          cell: (call) => <Named name={call.key.name} below={call.key.lastFour && `…${call.key.lastFour}`} />,
        }
      : {
          id: "account",
          header: t("account"),
          onPhone: "bare",
          cell: (call) => <Named name={call.account?.name ?? ""} below={call.channel?.name} />,
        },
    {
      id: "cost",
      header: t("cost"),
      amount: (call) => call.cost,
      isFigure: true,
      onPhone: "aside",
      cell: (call) => <CallCost call={call} />,
    },
    { id: "status", header: t("status"), onPhone: "line", cell: (call) => <CallStatus call={call} /> },
    {
      id: "tokens",
      from: "medium",
      header: t("tokensInOut"),
      isFigure: true,
      onPhone: "hidden",
      cell: (call) => <Tokens call={call} />,
    },
    {
      id: "duration",
      header: t("took"),
      isFigure: true,
      onPhone: "bare",
      cell: (call) => <Took call={call} />,
    },
    {
      id: "id",
      from: "wide",
      header: t("id"),
      isFigure: true,
      onPhone: "hidden",
      cell: (call) => <RequestId id={call.requestId} />,
    },
  ];
}

type Props = {
  side: RequestsSide;
  rows: RequestRow[];
  served: ServedOrder;
  onOpen: (requestId: string) => void;
};

export function CallTable({ side, rows, served, onOpen }: Props) {
  const label = useTranslations("shell")(side === "owner" ? "requests" : "allRequests");
  const columns = useColumns(side, onOpen);
  const note = <Dimmed>{useTranslations("requests")("delay")}</Dimmed>;
  return (
    <ChoosableTable
      isLog
      name="requests"
      {...{ label, columns, rows, served, note }}
      rowId={({ requestId }) => requestId}
    />
  );
}

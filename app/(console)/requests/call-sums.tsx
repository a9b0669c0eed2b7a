import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { FigureList } from "../_components/cards/figure-list";
import { useTRPC } from "../_components/data/trpc";
import { Dimmed } from "../_components/tables/dimmed";
import { useInstallation } from "../_components/text/installation";
import { ShortMoney } from "../_components/text/money";
import { useMomentOf } from "../_components/text/use-moment-of";
import { usageOf } from "../usage/usage-filter";
import type { RequestsSide } from "./call";
import { type CallParameters, dayOfSpan, type toQuery } from "./call-filter";
import { LIVE_MS } from "./use-calls";

type Filter = ReturnType<typeof toQuery>;
type Props = { side: RequestsSide; filter: Filter; parameters: CallParameters };

/** A separate request: in the request of the list, the rows would wait for the sums. */
const alone = { trpc: { context: { isAlone: true } } };

function useSums(side: RequestsSide, filter: Filter, isLive: boolean) {
  const trpc = useTRPC();
  const isFiltered = Object.keys(filter).length > 0;
  const isOwner = side === "owner";
  const { accountId: _, channelId: __, ...own } = filter;
  const live = { refetchInterval: isLive ? LIVE_MS : (false as const) };
  const owners = useQuery({
    ...trpc.calls.sums.queryOptions(own, alone),
    ...live,
    enabled: isFiltered && isOwner,
  });
  const everybodys = useQuery({
    ...trpc.allCalls.sums.queryOptions(filter, alone),
    ...live,
    enabled: isFiltered && !isOwner,
  });
  return isOwner ? owners.data : everybodys.data;
}

/** The day of the listed requests, with a link back to its hours. */
function BackToDay({ side, parameters }: Omit<Props, "filter">) {
  const t = useTranslations("requests");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const day = dayOfSpan(parameters, timeZone);
  if (day === null) {
    return null;
  }
  const date = format.dateTime(new Date(day), { timeZone: "UTC", day: "numeric", month: "short" });
  const view = { by: "key_model", account: parameters.account, measure: "cost", view: "chart" } as const;
  return (
    <Anchor component={Link} href={usageOf(side, { from: day, to: day }, view)} size="sm">
      {t("backToDay", { date })}
    </Anchor>
  );
}

/** The sums of the requests that the filter finds; nothing without a filter. */
export function CallSums({ side, filter, parameters }: Props) {
  const t = useTranslations("requests");
  const usage = useTranslations("usage");
  const format = useFormatter();
  const momentOf = useMomentOf();
  const sums = useSums(side, filter, parameters.live);
  if (!sums || sums.calls === 0) {
    return null;
  }
  const figures = [
    { id: "calls", name: t("sums.calls"), value: format.number(sums.calls) },
    { id: "failed", name: t("failed"), value: format.number(sums.failed) },
    { id: "inputTokens", name: usage("inputTokens"), value: format.number(sums.inputTokens) },
    { id: "outputTokens", name: usage("outputTokens"), value: format.number(sums.outputTokens) },
    { id: "cost", name: t("cost"), value: <ShortMoney value={sums.amount} /> },
  ];
  return (
    <section aria-label={t("sums.title")}>
      <FigureList figures={figures} />
      <BackToDay side={side} parameters={parameters} />
      {sums.comparedTo && (
        <Dimmed>
          {t("sums.newest", {
            count: sums.calls,
            moment: momentOf(sums.comparedTo),
          })}
        </Dimmed>
      )}
    </section>
  );
}

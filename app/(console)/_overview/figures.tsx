import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { SpendToday } from "../_components/charts/spend-today";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { ShortMoney } from "../_components/text/money";
import type { Business } from "./overview";

function Figure(props: { label: string; href: string; children: ReactNode; hint: ReactNode }) {
  return (
    <dl className="figure">
      <Text component="dt" size="sm">
        <Anchor component={Link} href={props.href} inherit>
          {props.label}
        </Anchor>
      </Text>
      <Text component="dd" m={0} fz="xl" fw={650} data-figure>
        {props.children}
      </Text>
      <Text component="dd" m={0} size="sm" c="dimmed">
        {props.hint}
      </Text>
    </dl>
  );
}

function Traffic() {
  const t = useTranslations("overview");
  const format = useFormatter();
  const query = useQuery(useTRPC().overview.traffic.queryOptions(undefined, { refetchInterval: FIGURES_MS }));
  if (!query.data) {
    return <QueryState query={query} lines={3} />;
  }
  const { calls, failed, isPartial, from, openTasks } = query.data;
  const share = format.number(calls === 0 ? 0 : failed / calls, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const failures = isPartial
    ? t("statFailedNewest", { share, calls: format.number(calls) })
    : t("statFailed", { share, count: format.number(failed) });
  return (
    <>
      <Figure
        label={t("statCalls")}
        href={addresses.allRequests({ from })}
        hint={
          failed === 0 ? (
            t("statNoCalls")
          ) : (
            <Anchor component={Link} href={addresses.allRequests({ from, status: "failed" })} inherit>
              {failures}
            </Anchor>
          )
        }
      >
        {isPartial ? t("statCallsMany", { calls: format.number(calls) }) : format.number(calls)}
      </Figure>
      <Figure
        label={t("statTasks")}
        href={addresses.allVideos({ state: "processing" })}
        hint={t("statTasksHint")}
      >
        {format.number(openTasks)}
      </Figure>
    </>
  );
}

/** The business in five figures, each with a link: today's spend is the large one. */
export function Figures({ business }: { business: Business }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const { accounts, month, days } = business;
  return (
    <div className="figures">
      <SpendToday days={days} hrefOf={(day) => addresses.allUsage({ from: day, to: day })} />
      <Figure label={t("statMonth")} href={addresses.accounts()} hint={t("statMonthHint")}>
        <ShortMoney value={month} />
      </Figure>
      <Figure
        label={t("statAccounts")}
        href={addresses.accounts({ status: "active" })}
        hint={t("statAccountsOf", { total: format.number(accounts.total) })}
      >
        {format.number(accounts.active)}
      </Figure>
      <Traffic />
    </div>
  );
}

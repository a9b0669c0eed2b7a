"use client";

import { useQuery } from "@tanstack/react-query";
import type { Month } from "@/server/console";
import { amountText } from "./amount";
import { MonthBar } from "./month-bar";
import { QueryState } from "./query-state";
import { useTRPC } from "./trpc";

const figures = [
  ["quota", "额度", "Quota"],
  ["topups", "充值", "Top-ups"],
  ["used", "已用", "Used"],
  ["frozen", "冻结", "Frozen"],
] as const;

function Figures({ month }: { month: Month }) {
  return (
    <>
      <p className="available">
        <span>
          可用 <span lang="en">Available</span>
        </span>
        <strong>{amountText(month.available, month.currency)}</strong>
      </p>
      <MonthBar month={month} />
      <dl className="figures">
        {figures.map(([name, chinese, english]) => (
          <div key={name} className={name}>
            <dt>
              {chinese} <span lang="en">{english}</span>
            </dt>
            <dd>{amountText(month[name], month.currency)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function OwnMonth() {
  const month = useQuery(useTRPC().overview.month.queryOptions());
  return (
    <section className="card" aria-labelledby="own-month">
      <h1 id="own-month">
        本月 <small lang="en">This month</small>
        {month.data && <span className="period">{month.data.period}</span>}
      </h1>
      {month.data ? <Figures month={month.data} /> : <QueryState query={month} />}
    </section>
  );
}

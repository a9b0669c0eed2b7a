"use client";

import { useQuery } from "@tanstack/react-query";
import type { AccountMonth } from "@/server/console";
import { amountText } from "./amount";
import { QueryState } from "./query-state";
import { useTRPC } from "./trpc";

const columns = [
  ["available", "可用", "Available"],
  ["quota", "额度", "Quota"],
  ["topups", "充值", "Top-ups"],
  ["used", "已用", "Used"],
  ["frozen", "冻结", "Frozen"],
] as const;

function AccountRow({ account }: { account: AccountMonth }) {
  return (
    <tr>
      <th scope="row">
        {account.name}
        {account.status === "disabled" && <span className="tag">已禁用 Disabled</span>}
      </th>
      {columns.map(([name]) => (
        <td key={name}>{amountText(account[name], account.currency)}</td>
      ))}
    </tr>
  );
}

function Accounts({ accounts }: { accounts: AccountMonth[] }) {
  if (accounts.length === 0) {
    return (
      <p>
        还没有账号 · There is no account yet:{" "}
        <code>npm run -s tollgate -- account create --name N --quota Q</code>
      </p>
    );
  }
  return (
    // Focusable, so that arrow keys can scroll it on a narrow screen.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroller" tabIndex={0} aria-labelledby="accounts">
      <table>
        <thead>
          <tr>
            <th scope="col">
              账号 <span lang="en">Account</span>
            </th>
            {columns.map(([name, chinese, english]) => (
              <th key={name} scope="col">
                {chinese} <span lang="en">{english}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function AccountMonths() {
  const accounts = useQuery(useTRPC().accounts.months.queryOptions());
  return (
    <section className="card" aria-labelledby="accounts">
      <h1 id="accounts">
        账号 <small lang="en">Accounts</small>
        {accounts.data?.[0] && <span className="period">{accounts.data[0].period}</span>}
      </h1>
      {accounts.data ? <Accounts accounts={accounts.data} /> : <QueryState query={accounts} />}
    </section>
  );
}

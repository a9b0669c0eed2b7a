import type { Sql } from "postgres";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "./eventually";
import { startGateway } from "./gateway";
import { perFile, servedModel } from "./per-file";
import { answerWith, startUpstream } from "./upstream";

type Usage = { input_tokens: number; output_tokens: number };
type Kept = {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  usage: Usage | null;
};

/** For a file's tests: a gateway that makes so many responses in the background at a time, and customers of it. */
export function backgroundRoom(atOnce: number) {
  const env = { BACKGROUND_RESPONSES: String(atOnce), RESPONSES_MEGABYTES_PER_ACCOUNT: "1" };
  const gateway = perFile(() => startGateway({ env }));
  const upstream = perFile(() => startUpstream(answerWith("Hello there")));
  const model = servedModel({ gateway, upstream });
  const sql = () => sqlOf(gateway.runtime.db) as Sql;

  async function newCustomer() {
    const { secret, accountId, keyId } = await gateway.customer();
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const answer = await fetch(`${gateway.url}/v1/responses${path}`, { headers, ...init });
      return { status: answer.status, body: (await answer.json()) as Kept };
    };
    const submit = (more: object = {}) =>
      call("", { method: "POST", body: JSON.stringify({ model, input: "hi", background: true, ...more }) });
    const isBegun = async () => {
      const rows = await sql()`
        select 1 from background_responses where account_id = ${accountId} and has_begun`;
      return rows.length === 1;
    };
    return {
      ...{ accountId, keyId, call, submit },
      begin: async () => (await submit()).body.id,
      until: async (id: string, ...wanted: string[]) => {
        const read = async () => (await call(`/${id}`)).body.status;
        await eventually(read, 30_000).toSatisfy((status: string) => wanted.includes(status));
        return (await call(`/${id}`)).body;
      },
      money: async () => {
        const { used, frozen } = await gateway.balance(accountId);
        return [used, frozen];
      },
      untilBegun: () => eventually(isBegun, 30_000).toBe(true),
    };
  }
  return { gateway, upstream, model, sql, newCustomer };
}

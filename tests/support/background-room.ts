import type { Sql } from "postgres";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "./eventually";
import { startGateway, type TestGateway } from "./gateway";
import { perFile, servedModel } from "./per-file";
import { answerWith, startUpstream } from "./upstream";

type ResponseUsage = { input_tokens: number; output_tokens: number };
type Kept = {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  usage: ResponseUsage | null;
};

/** Makes customers with background responses of this model. */
export const backgroundCustomers =
  ({ gateway, model }: { gateway: TestGateway; model: string }) =>
  async (terms: { quota?: string } = {}) => {
    const { secret, accountId, keyId } = await gateway.customer(terms);
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const answer = await fetch(`${gateway.url}/v1/responses${path}`, { headers, ...init });
      const { status, headers: answerHeaders } = answer;
      return { status, slug: answerHeaders.get("x-error-code"), body: (await answer.json()) as Kept };
    };
    const post = (path: string, body: object) => call(path, { method: "POST", body: JSON.stringify(body) });
    const submit = (more: object = {}) => post("", { model, input: "hi", background: true, ...more });
    const isBegun = async () => {
      const rows = await (sqlOf(gateway.runtime.db) as Sql)`
        select 1 from background_responses where account_id = ${accountId} and has_begun`;
      return rows.length === 1;
    };
    return {
      ...{ secret, accountId, keyId, call, post, submit },
      begin: async () => (await submit()).body.id,
      until: async (id: string, ...statuses: string[]) => {
        const read = async () => (await call(`/${id}`)).body.status;
        await eventually(read, 30_000).toSatisfy((status: string) => statuses.includes(status));
        return (await call(`/${id}`)).body;
      },
      money: async () => {
        const { used, frozen } = await gateway.balance(accountId);
        return [used, frozen];
      },
      untilBegun: () => eventually(isBegun, 30_000).toBe(true),
    };
  };

/** A gateway for a file's tests that makes `atOnce` background responses at a time, and its customers. */
export function backgroundRoom(atOnce: number) {
  const env = { BACKGROUND_RESPONSES: String(atOnce), RESPONSES_MEGABYTES_PER_ACCOUNT: "1" };
  const gateway = perFile(() => startGateway({ env }));
  const upstream = perFile(() => startUpstream(answerWith("Hello there")));
  const model = servedModel({ gateway, upstream });
  const sql = () => sqlOf(gateway.runtime.db) as Sql;
  return { gateway, upstream, model, sql, newCustomer: backgroundCustomers({ gateway, model }) };
}

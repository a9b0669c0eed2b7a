import { sqlOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { createWebhook, sendTest } from "@/server/notifications";
import { newManager } from "./admin-api";
import { contextFor } from "./console";
import { turbo, type VideoGateway } from "./video-client";

/** Objects of one account, by the input members that name them. */
export type Belongings = Record<
  | "keyId"
  | "managementKeyId"
  | "requestId"
  | "taskId"
  | "userId"
  | "sessionId"
  | "webhookId"
  | "deliveryId"
  | "paymentId",
  string
> & {
  accountId: AccountId;
};

/** Sells the model that the accounts call. */
export async function serveSandboxChat(gateway: VideoGateway): Promise<void> {
  const model = await gateway.model({ id: "sandbox-chat" });
  await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
}

/** An account that has one object of each kind. Its task stays under way. */
export async function newBelongings(gateway: VideoGateway, quota: string): Promise<Belongings> {
  const { accountId, keyId, secret } = await gateway.customer({ quota });
  const answer = await gateway.chat(secret, {
    model: "sandbox-chat",
    messages: [{ role: "user", content: "hi" }],
  });
  if (answer.status !== 200) {
    throw new Error(await answer.text());
  }
  await answer.text();
  const taskId = await gateway.begin(secret, { ...turbo, prompt: "a cat [stall]" });
  const { viewer } = await contextFor(gateway, { role: "owner", accountId });
  const webhook = { accountId, url: "https://hooks.belongings.test/", events: ["video.failed" as const] };
  const { db, vault } = gateway.runtime;
  const { id: webhookId } = await createWebhook(db, webhook, vault);
  const paymentId = newId("pay");
  await sqlOf(db)`
    insert into payments (id, account_id, provider, state, amount, currency)
    values (${paymentId}, ${accountId}, 'stripe', 'open', 20000000000, 'CNY')`;
  return {
    deliveryId: (await sendTest(db, { accountId, webhookId, now: new Date() })).id,
    managementKeyId: (await newManager(gateway, { accountId })).id,
    ...{ accountId, paymentId, webhookId, keyId, taskId },
    ...{ requestId: answer.headers.get("x-request-id") ?? "", userId: viewer?.id ?? "" },
    sessionId: viewer?.sessionId ?? "",
  };
}

/** All rows of the account, without the columns that the workers update. */
export async function footprint(gateway: VideoGateway, accountId: AccountId) {
  const sql = sqlOf(gateway.runtime.db);
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' order by 1`;
  const rows: Record<string, unknown> = {};
  for (const { name } of tables) {
    rows[name] = await sql`
      select to_jsonb(t) - array['last_poll_at', 'next_poll_at', 'lease_until', 'progress', 'expires_at',
        'last_used_at', 'last_address'] as row
      from ${sql(name)} t where account_id = ${accountId} order by t::text`;
  }
  return rows;
}

import { onTestFinished } from "vitest";
import { startGateway } from "./gateway";
import { messages } from "./per-file";

/** A gateway of one test with a customer and a model on sale. `mode`: its `SYNC_STANDBY`. */
export async function startSelling({
  databaseUrl,
  baseUrl,
  mode,
}: {
  databaseUrl: string;
  baseUrl: string;
  mode: string;
}) {
  const gateway = await startGateway({ databaseUrl, env: { SYNC_STANDBY: mode } });
  onTestFinished(() => gateway.close());
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl });
  const { secret, accountId } = await gateway.customer();
  const call = async () => {
    const answer = await gateway.chat(secret, { model, messages, max_tokens: 20 });
    await answer.text();
    return { status: answer.status, id: answer.headers.get("x-request-id") ?? "" };
  };
  return { gateway, accountId, call, statusOfCall: async () => (await call()).status };
}

import type { FakeUpstream } from "@/tests/support/upstream";
import type { Session } from "./session";

/** Sells a model of a flow's own upstream, at `price` a million tokens of either kind. Answers its channel. */
export async function sellOn(
  operator: Session,
  { model, upstream, price = "1" }: { model: string; upstream: FakeUpstream; price?: string },
): Promise<{ channelId: string }> {
  await operator.prices.create.mutate({
    ...{ id: model, kind: "chat", isEnabled: true, inputPrice: price, outputPrice: price },
  });
  const { id: channelId } = await operator.channels.create.mutate({
    ...{ name: model, vendor: null, dialect: "openai", baseUrl: upstream.baseUrl },
    secrets: ["upstream-secret"],
    models: [{ modelId: model, upstreamName: model, overrides: {} }],
    ...{ priority: 0, weight: 1, maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null },
  });
  return { channelId };
}

import type { FakeUpstream } from "@/tests/support/upstream";
import type { Session } from "./session";

type CreateInput<Name extends "prices" | "channels"> = Partial<
  Parameters<Session[Name]["create"]["mutate"]>[0]
>;

/** Sells a chat model at `price` per million tokens, for input and output, unless `more` says otherwise. */
export const sell = (
  operator: Session,
  id: string,
  { price = "1", ...more }: { price?: string } & CreateInput<"prices"> = {},
) =>
  operator.prices.create.mutate({
    ...{ id, kind: "chat", isEnabled: true, inputPrice: price, outputPrice: price },
    ...more,
  });

/** A channel to a flow's own upstream, with a model that has the channel's name unless `more` says otherwise. */
export const channelTo = (
  operator: Session,
  {
    name,
    upstream,
    ...more
  }: { name: string; upstream: Pick<FakeUpstream, "baseUrl"> } & CreateInput<"channels">,
) =>
  operator.channels.create.mutate({
    ...{ name, vendor: null, dialect: "openai", baseUrl: upstream.baseUrl, secrets: ["upstream-secret"] },
    models: [{ modelId: name, upstreamName: name, overrides: {} }],
    ...{ priority: 0, weight: 1, maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null },
    ...more,
  });

/** Sells a model of a flow's own upstream. Returns its channel. */
export async function sellOn(
  operator: Session,
  { model, upstream, price = "1" }: { model: string; upstream: FakeUpstream; price?: string },
): Promise<{ channelId: string }> {
  await sell(operator, model, { price });
  return { channelId: (await channelTo(operator, { name: model, upstream })).id };
}

import { expect } from "vitest";
import type { ModelKind } from "@/server/domain/enums";
import { money } from "./customer";
import type { TestGateway } from "./gateway";
import { formOf } from "./sound";
import type { FakeUpstream, UpstreamHandler } from "./upstream";

export const priced = (prices: Record<string, string>) =>
  Object.entries(prices).map(([unit, price]) => ({ unit, price: money(price) }));

type Sale = {
  /** By unit, in currency units. */
  prices: Record<string, string>;
  answer: UpstreamHandler;
  free?: boolean;
  quota?: string;
  /** Per million tokens. */
  input?: string;
  output?: string;
};

/** A customer with a model at these prices, whose upstream answers `answer`. */
export const sellerOf =
  ({ gateway, upstream }: { gateway: TestGateway; upstream: FakeUpstream }) =>
  async (kind: ModelKind, { prices, answer, free = false, quota, input = "0", output = "0" }: Sale) => {
    upstream.answer(answer);
    upstream.requests.length = 0;
    const model = await gateway.model({
      ...{ kind, unitPrices: priced(prices), inputPrice: money(input), outputPrice: money(output) },
      ...(free && { isFree: true, unitPrices: [] }),
    });
    await gateway.channel({ model, models: { [model]: "vendors-own" }, baseUrl: upstream.baseUrl });
    const customer = await gateway.customer(quota === undefined ? {} : { quota });
    const post = (path: string, fields: object) => gateway.post(customer.secret, path, { model, ...fields });
    const headers = { "content-type": "multipart/form-data; boundary=b0undary" };
    const postForm = (fields: Parameters<typeof formOf>[0]) =>
      gateway.post(customer.secret, "audio/transcriptions", null, { headers, body: formOf(fields) });
    const charged = async () => {
      expect(await gateway.verify()).toEqual([]);
      return (await gateway.entries(customer.accountId)).map(
        ({ kind: how, amount, units, inputTokens, outputTokens, usageSource }) => ({
          ...{ how, amount, units, inputTokens, outputTokens, usageSource },
        }),
      );
    };
    return { model, post, postForm, charged, ...customer };
  };

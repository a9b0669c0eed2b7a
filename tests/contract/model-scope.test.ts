import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { perFile } from "@/tests/support/per-file";
import { startVideoGateway, turbo } from "@/tests/support/video-client";
import { type Endpoint, endpoints } from "./errors/row";

const all: Record<string, Endpoint> = {
  ...endpoints,
  count_tokens: { ...endpoints.messages, path: "/v1/messages/count_tokens" },
};

const gateway = perFile(() => startVideoGateway());

/** A customer whose key may call only these models. */
async function customerFor(models: string[]) {
  const customer = await gateway.customer();
  await sqlOf(gateway.runtime.db)`update api_keys set models = ${models} where id = ${customer.keyId}`;
  return customer;
}

/** A model of the endpoint's kind, with the sandbox as its upstream. */
async function sandboxModel({ kind }: Endpoint): Promise<string> {
  if (kind === "video") {
    return turbo.model;
  }
  const model = await gateway.model({ kind });
  await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
  return model;
}

const post = ({ path, body }: Endpoint, secret: string, model: string) =>
  gateway.post(secret, path.replace("/v1/", ""), { ...body, model });

describe.each(Object.entries(all))("a key with a list of models, at %s", (_name, endpoint) => {
  test("may call one of them", async () => {
    const model = await sandboxModel(endpoint);
    const { secret } = await customerFor(["another", model]);
    expect((await post(endpoint, secret, model)).ok).toBe(true);
  });

  test("gets a 404 for any other model, as if it did not exist", async () => {
    const model = await sandboxModel(endpoint);
    const { secret, accountId } = await customerFor(["another"]);
    const response = await post(endpoint, secret, model);
    expect(response.status).toBe(404);
    expect(response.headers.get("x-error-code")).toBe("model_not_found");
    const body = { code: 404, message: `模型 ${model} 不存在或未启用`, data: null };
    expect(await response.json()).toMatchObject(body);
    expect(await gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });
});

test("the list of models has those that the key may call, and all of them without a known key", async () => {
  const { secret } = await customerFor([turbo.model, "another"]);
  const ids = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/v1/models`, { headers });
    return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const open = await ids({});
  expect(open).toContain(turbo.model);
  expect(open.length).toBeGreaterThan(1);
  expect(await ids({ authorization: `Bearer ${secret}` })).toEqual([turbo.model]);
  expect(await ids({ authorization: "Bearer sk-unknown" })).toEqual(open);
});

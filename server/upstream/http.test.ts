import { Agent } from "undici";
import { expect, test } from "vitest";
import { postJson } from "./http";
import { createPlaces } from "./places";

test("a request that cannot even be begun gives its place back, and is a fault like any other", async () => {
  const places = createPlaces({ capacity: 2, maxWaiting: 2, patienceMs: 10 });
  const connections = { dispatcher: new Agent(), placesAt: () => places };
  const { signal } = new AbortController();
  // undici throws at this one before there is anything to await.
  const call = { baseUrl: "ftp://127.0.0.1", owner: "acc_1", headers: {}, body: "{}", secret: "s", signal };
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(postJson(connections, call, { path: "/v1", headers: {} })).rejects.toMatchObject({
      reason: "unreachable",
    });
  }
});

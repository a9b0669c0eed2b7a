import { expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { answerWith, startUpstream } from "@/tests/support/upstream";

test("a Redis that is away stops no call, and the limit holds all the same", async () => {
  // Nobody listens on the discard port.
  const gateway = await startGateway({ env: { REDIS_URL: "redis://127.0.0.1:9" } });
  const upstream = await startUpstream(answerWith("fine"));
  try {
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer({ requestsPerMinute: 2 });
    const statuses = [];
    for (let calls = 0; calls < 3; calls++) {
      statuses.push(
        (await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status,
      );
    }
    expect(statuses).toEqual([200, 200, 429]);
  } finally {
    await gateway.close();
    await upstream.close();
  }
});

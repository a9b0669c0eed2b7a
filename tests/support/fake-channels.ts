import { afterAll, beforeAll } from "vitest";
import { startGateway, type TestGateway } from "./gateway";
import { type Answer, type FakeUpstream, startUpstream } from "./upstream";

/** An upstream that takes a call and says nothing. */
export const silent: Answer = () => {};

/** A gateway for a file's tests that gives an upstream one second, with as many fake upstreams as they start. */
export function fakeChannels() {
  let gateway: TestGateway;
  const fakes: FakeUpstream[] = [];
  beforeAll(async () => {
    gateway = await startGateway({ env: { UPSTREAM_TIMEOUT_SECONDS: "1" } });
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(fakes.map((fake) => fake.close()));
  });
  return {
    get gateway() {
      return gateway;
    },
    start: async (answer: Answer) => {
      const fake = await startUpstream(answer);
      fakes.push(fake);
      return fake;
    },
    /** A call of a new customer's. */
    ask: async (model: string) => {
      const { secret } = await gateway.customer();
      return gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
    },
  };
}

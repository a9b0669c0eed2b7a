import { startGateway } from "./gateway";
import { fakeUpstreams, perFile } from "./per-file";
import type { Answer } from "./upstream";

/** An upstream that takes a call and says nothing. */
export const silent: Answer = () => {};

/** A gateway for a file's tests that gives an upstream one second, with as many fake upstreams as they start. */
export function fakeChannels() {
  const gateway = perFile(() => startGateway({ env: { UPSTREAM_TIMEOUT_SECONDS: "1" } }));
  return {
    gateway,
    start: fakeUpstreams(),
    /** A call of a new customer's. */
    ask: async (model: string) => {
      const { secret } = await gateway.customer();
      return gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
    },
  };
}

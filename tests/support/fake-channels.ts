import { startGateway } from "./gateway";
import { fakeUpstreams, perFile } from "./per-file";
import type { Answer } from "./upstream";
import { advancingTime } from "./virtual-clock";

/** How long an upstream is waited for. */
const PATIENCE_SECONDS = 30;

/**
 * A gateway for a file's tests whose time they can put ahead, with as many fake upstreams as they start. `silent`: one
 * that takes a call and says nothing until its deadline, which is there at once.
 */
export function fakeChannels() {
  const { timers, advance } = advancingTime();
  const gateway = perFile(() =>
    startGateway({ timers, env: { UPSTREAM_TIMEOUT_SECONDS: String(PATIENCE_SECONDS) } }),
  );
  const silent: Answer = () => advance(PATIENCE_SECONDS * 1_000);
  return {
    ...{ gateway, advance, silent, start: fakeUpstreams() },
    /** A call of a new customer's. */
    ask: async (model: string) => {
      const { secret } = await gateway.customer();
      return gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
    },
  };
}

import type { Clock } from "@/server/base/clock";
import { money } from "./customer";
import { startGateway } from "./gateway";
import { until } from "./until";
import { advancingTime } from "./virtual-clock";

export type Json = Record<string, unknown>;

/** A gateway with the sandbox's two video models at 0.05 and 0.1, and the calls of its clients. */
export type VideoGateway = Awaited<ReturnType<typeof startVideoGateway>>;

export const turbo = { model: "sandbox-video-turbo", prompt: "a cat" };
const plus = { model: "sandbox-video-plus", prompt: "a cat", resolution: "1080p" };

export const oneVideoPrice = (price: string) => [
  { durationSeconds: 5, resolution: "720p", price: money(price) },
];

/** More than `VIDEO_POLL_SECONDS` and its jitter. */
const LOOK_MS = 1_500;

/** `ownClock`: a clock that the test itself moves. */
export async function startVideoGateway(env: Record<string, string> = {}, ownClock?: Clock) {
  const ahead = advancingTime();
  const clock = ownClock ?? ahead.clock;
  const gateway = await startGateway({
    clock,
    env: { VIDEO_POLL_SECONDS: "1", VIDEO_RATE_LIMIT_PER_MINUTE: "10000", ...env },
  });
  await gateway.model({ id: turbo.model, kind: "video", videoPrices: oneVideoPrice("0.05") });
  const videoPrices = [{ durationSeconds: 5, resolution: "1080p", price: money("0.1") }];
  await gateway.model({ id: plus.model, kind: "video", videoPrices });
  const models = { [turbo.model]: turbo.model, [plus.model]: plus.model };
  await gateway.channel({ model: turbo.model, models, dialect: "sandbox", baseUrl: "sandbox:" });

  const submit = (secret: string, body: unknown, headers: Record<string, string> = {}) =>
    gateway.post(secret, "videos/generations", body, { headers });
  const status = (secret: string, taskId: string) =>
    fetch(`${gateway.url}/v1/videos/generations/${taskId}`, { headers: { "x-api-key": secret } });
  const advance = () => ahead.advance(LOOK_MS);
  return {
    ...gateway,
    clock,
    /** Moves its clock ahead by the time between two polls. */
    advance,
    submit,
    status,
    /** Returns the identifier of an accepted task. */
    begin: async (secret: string, body: Json) => {
      const response = await submit(secret, body);
      const answer = (await response.json()) as Json;
      if (response.status !== 202) {
        throw new Error(`${response.status} ${JSON.stringify(answer)}`);
      }
      return String(answer.id);
    },
    /** Returns the status body once its status is `state`. Advances the clock meanwhile. */
    reach: async (secret: string, taskId: string, state: string) => {
      let body: Json = {};
      await until(async () => {
        advance();
        body = (await (await status(secret, taskId)).json()) as Json;
        return body.status === state;
      }, 20_000);
      return body;
    },
  };
}

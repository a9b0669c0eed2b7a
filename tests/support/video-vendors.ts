import type { AccountId } from "@/server/domain/ids";
import { startGateway } from "./gateway";
import { oneVideoPrice } from "./video-client";
import { manualClock, startVideoSimulator } from "./video-simulator";

export type VideoVendor = "dashscope" | "ark" | "openai-video";

const models: Record<VideoVendor, string> = {
  dashscope: "wanx2.1-t2v-turbo",
  ark: "doubao-seedance-1-5-pro-251215",
  "openai-video": "open-video",
};
export const vendors = Object.keys(models) as VideoVendor[];

/** The recommended time between two polls of a client. */
export const STEP_MS = 16_000;

type Body = { id: string; status: string; video_url?: string | null; error?: { code: string } | null };
/** `outcome`: a refusal's status, or the final state and its reason. */
export type TaskEnding = { outcome: string; body: Body | null; accountId: AccountId; secret: string };

/** One video costs 0.5. */
export async function startVendorGateway() {
  const clock = manualClock();
  /** The vendors' present behaviour: the number of tasks that run at once, and the duration of a poll. */
  const mood = { places: 1_000, lookMs: 0 };
  const simulator = await startVideoSimulator({
    clock,
    capacity: () => mood.places,
    queueLimit: 1_000,
    hugeBytes: 2 * 1_048_576,
    slowMs: 20,
    latency: (kind) => {
      clock.advance(kind === "poll" ? mood.lookMs : 0);
      return 0;
    },
  });
  const gateway = await startGateway({ clock: clock.date, env: { VIDEO_RATE_LIMIT_PER_MINUTE: "1000" } });
  for (const vendor of vendors) {
    const model = await gateway.model({
      id: models[vendor],
      kind: "video",
      videoPrices: oneVideoPrice("0.5"),
    });
    const baseUrl = simulator.baseUrls[vendor];
    const secrets = [simulator.secret];
    await gateway.channel({ model, dialect: vendor, baseUrl, secrets, maxTasks: 1_000 });
  }

  /** Moves the clock, and waits for the work that becomes due. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await gateway.runtime.videos.work();
    await gateway.runtime.videos.close({ patienceMs: 5_000 });
  };
  const look = async (secret: string, taskId: string) => {
    const path = `videos/generations/${taskId}`;
    const response = await fetch(`${gateway.url}/v1/${path}`, { headers: { "x-api-key": secret } });
    return (await response.json()) as Body;
  };
  const submit = async (vendor: VideoVendor, prompt: string, secret: string) => {
    const response = await gateway.post(secret, "videos/generations", { model: models[vendor], prompt });
    const { id } = (await response.json()) as Body;
    return { status: response.status, id };
  };
  /** Submits an order, and polls until its end. */
  const run = async (vendor: VideoVendor, prompt: string): Promise<TaskEnding> => {
    const { accountId, secret } = await gateway.customer();
    const { status, id } = await submit(vendor, prompt, secret);
    if (status !== 202) {
      return { outcome: String(status), body: null, accountId, secret };
    }
    for (let step = 0; step < 50; step++) {
      const body = await look(secret, id);
      if (body.status !== "processing") {
        return {
          outcome: [body.status, body.error?.code].filter(Boolean).join(" "),
          body,
          accountId,
          secret,
        };
      }
      await pass(STEP_MS);
    }
    throw new Error(`"${prompt}" does not end`);
  };

  return {
    ...gateway,
    ...{ simulator, mood, pass, look, submit, run },
    close: async () => {
      await gateway.close();
      await simulator.close();
    },
  };
}

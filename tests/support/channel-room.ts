import { CancellationSource } from "@/server/base/cancellation";
import { createLog } from "@/server/base/log";
import { createVault } from "@/server/base/vault";
import { addChannel, createChannels, type NewChannel } from "@/server/channels";
import { openDatabase } from "@/server/db";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { branded } from "./branded";
import { freshDatabase } from "./database";
import { fakeUpstreams, perFile } from "./per-file";
import { sendJson, type UpstreamHandler } from "./upstream";

/** Only the room of channels, with its own database. */
export async function openChannelRoom() {
  const db = openDatabase(await freshDatabase());
  const vault = createVault("e".repeat(32));
  const dispatcher = createDispatcher();
  const upstreams = createUpstreams(dispatcher);
  const channels = createChannels({ db, vault, upstreams, timeoutMs: 5_000, log: createLog("silent") });
  let serial = 0;
  return {
    db,
    vault,
    channels,
    /** Adds an OpenAI-dialect channel with a new name. */
    add: async (channel: Partial<NewChannel> & { baseUrl: string }) => {
      const id = serial++;
      const own = { name: `channel-${id}`, secrets: [`sk-upstream-${id}-9876`], models: { m: "m" } };
      const added = await addChannel(db, { dialect: "openai", ...own, ...channel }, vault);
      channels.forget();
      return added;
    },
    /** Makes one call for `modelId`. Returns "ok", or the message of its error. */
    call: async (modelId: string) => {
      // Another process would get a notice.
      channels.forget();
      try {
        await channels.dispatch({
          modelId,
          // Faults that a request may cause count once for each account.
          accountId: branded(`acc_${serial++}`),
          // Without repeats, so that each call is one attempt for the breaker.
          repeats: 0,
          plan: ({ upstreamName }) => ({
            operation: "chat",
            headers: {},
            body: JSON.stringify({ model: upstreamName, messages: [{ role: "user", content: "hi" }] }),
          }),
          accept: async (reply) => reply.discard(),
          attempts: [],
          passedOn: {},
          cancellation: new CancellationSource(),
        });
        return "ok";
      } catch (error) {
        return String(error);
      }
    },
    close: async () => {
      await Promise.all([db.close(), dispatcher.destroy()]);
    },
  };
}

/** The room of channels for a file's tests, with functions to start fake upstreams. */
export function stagedChannels() {
  const room = perFile(openChannelRoom);
  const start = fakeUpstreams();
  let serial = 0;
  return {
    room,
    start,
    /** A channel that alone serves its model. */
    stage: async (answer: UpstreamHandler, secrets = ["sk-upstream-secret-9876"]) => {
      const fake = await start(answer);
      const model = `model-${serial++}`;
      const models = { [model]: "upstream-name" };
      const channel = await room.add({ baseUrl: fake.baseUrl, secrets, models });
      return { fake, model, channel };
    },
  };
}

export const echoing =
  (status: number): UpstreamHandler =>
  (call, response) =>
    sendJson(response, status, { error: { message: `you sent ${call.headers.authorization}` } });

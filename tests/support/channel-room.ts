import { createLog } from "@/server/base/log";
import { createVault } from "@/server/base/vault";
import { addChannel, createChannels, type NewChannel } from "@/server/channels";
import { openDatabase } from "@/server/db";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { freshDatabase } from "./database";
import { madeUp } from "./made-up";
import { fakeUpstreams, perFile } from "./per-file";
import { type Answer, sendJson } from "./upstream";

/** The room of channels alone, over a database of its own. */
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
    /** Adds an OpenAI-dialect channel with a name of its own. */
    add: async (channel: Partial<NewChannel> & { baseUrl: string }) => {
      const id = serial++;
      const own = { name: `channel-${id}`, secrets: [`sk-upstream-${id}-9876`], models: { m: "m" } };
      const added = await addChannel(db, { dialect: "openai", ...own, ...channel }, vault);
      channels.forget();
      return added;
    },
    /** One call for `modelId`: "ok", or the message that it ended with. */
    call: async (modelId: string) => {
      // In another process a notice would have told.
      channels.forget();
      try {
        await channels.dispatch({
          modelId,
          // Faults that a request may cause count once an account.
          accountId: madeUp(`acc_${serial++}`),
          // What breakers count is told by single attempts.
          repeats: 0,
          plan: ({ upstreamName }) => ({
            operation: "chat",
            headers: {},
            body: JSON.stringify({ model: upstreamName, messages: [{ role: "user", content: "hi" }] }),
          }),
          accept: async (reply) => reply.discard(),
          attempts: [],
          passedOn: {},
          signal: new AbortController().signal,
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

/** The room of channels for a file's tests, with as many fake upstreams as they start. */
export function stagedChannels() {
  const room = perFile(openChannelRoom);
  const start = fakeUpstreams();
  let serial = 0;
  return {
    room,
    start,
    /** A channel that alone serves a model of its own. */
    stage: async (answer: Answer, secrets = ["sk-upstream-secret-9876"]) => {
      const fake = await start(answer);
      const model = `model-${serial++}`;
      const models = { [model]: "upstream-name" };
      const channel = await room.add({ baseUrl: fake.baseUrl, secrets, models });
      return { fake, model, channel };
    },
  };
}

export const echoing =
  (status: number): Answer =>
  (asked, response) =>
    sendJson(response, status, { error: { message: `you sent ${asked.headers.authorization}` } });

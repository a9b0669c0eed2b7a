import { afterAll, beforeAll } from "vitest";
import { createLog } from "@/server/base/log";
import { createVault, type Vault } from "@/server/base/vault";
import { addChannel, type Channels, createChannels, type NewChannel } from "@/server/channels";
import { type Database, openDatabase } from "@/server/db";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { freshDatabase } from "./database";
import { madeUp } from "./made-up";
import { type Answer, type FakeUpstream, sendJson, startUpstream } from "./upstream";

/** The room of channels alone, over a database of its own. */
export type ChannelRoom = {
  db: Database;
  vault: Vault;
  channels: Channels;
  /** Adds an OpenAI-dialect channel with a name of its own. */
  add: (channel: Partial<NewChannel> & { baseUrl: string }) => ReturnType<typeof addChannel>;
  /** One call for `modelId`: "ok", or the message that it ended with. */
  call: (modelId: string) => Promise<string>;
  close: () => Promise<void>;
};

export async function openChannelRoom(): Promise<ChannelRoom> {
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
    add: async (channel) => {
      const id = serial++;
      const own = { name: `channel-${id}`, secrets: [`sk-upstream-${id}-9876`], models: { m: "m" } };
      const added = await addChannel(db, { dialect: "openai", ...own, ...channel }, vault);
      channels.forget();
      return added;
    },
    call: async (modelId) => {
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
  let room: ChannelRoom;
  const fakes: FakeUpstream[] = [];
  beforeAll(async () => {
    room = await openChannelRoom();
  });
  afterAll(async () => {
    await room.close();
    await Promise.all(fakes.map((fake) => fake.close()));
  });
  const start = async (answer: Answer) => {
    const fake = await startUpstream(answer);
    fakes.push(fake);
    return fake;
  };
  let serial = 0;
  return {
    get db() {
      return room.db;
    },
    get vault() {
      return room.vault;
    },
    get channels() {
      return room.channels;
    },
    add: (channel: Parameters<ChannelRoom["add"]>[0]) => room.add(channel),
    call: (modelId: string) => room.call(modelId),
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

/** The upstream gives back what it was asked with. */
export const echoing =
  (status: number): Answer =>
  (asked, response) =>
    sendJson(response, status, { error: { message: `you sent ${asked.headers.authorization}` } });

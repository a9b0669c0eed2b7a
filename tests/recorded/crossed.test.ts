import { describe, expect, test } from "vitest";
import { readMessageWithAi } from "./ai-sdk";
import { ask } from "./chat-client";
import { readRecording } from "./chat-oracle";
import { type Exchange, type JsonObject, loadRecording, type Recording } from "./corpus";
import { checkCrossedAi, checkCrossedChat, checkCrossedMessage, type Scene } from "./crossed-checks";
import { type Crossed, chatAsMessage, isSilent, messageAsChat, settlementOf } from "./crossed-oracle";
import { asChatRequest, asMessagesRequest, offeredNames, toolNames } from "./crossed-request";
import { askMessages } from "./messages-client";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { act, checkLedger, setStage } from "./stage";
import { checkNamed, replaySuite, type World } from "./suite";

type Direction = {
  /** Of the recording, and so of the channel. */
  dialect: "openai" | "anthropic";
  path: string;
  read: (recording: Recording) => Crossed;
  request: (recording: Recording, model: string, isStream: boolean) => JsonObject;
  /** Exchanges that no client of the other dialect can be given, and why. */
  refused: Record<string, string>;
  /** Answers of which such a client reads nothing, and why. */
  silent: Record<string, string>;
};

const toMessages: Direction = {
  dialect: "openai",
  path: "/v1/chat/completions",
  read: (recording) => chatAsMessage(readRecording(recording)),
  request: asMessagesRequest,
  refused: {
    "azure-openai/chat_json_prompt_content_filtering":
      "an error in a body of status 200: 400, with its words",
    "mistral/chat_json_mistral_transcription": "a transcription filed under chat: a text, and no choices",
  },
  silent: {
    "azure-openai/chat_json_chat_content_filtering": "the vendor's filter held the text back: a refusal",
    "openai/chat_json_chat_text_to_audio": "the answer is speech, which the messages dialect has not",
  },
};

const toChat: Direction = {
  dialect: "anthropic",
  path: "/v1/messages",
  read: (recording) => messageAsChat(readMessages(recording)),
  request: asChatRequest,
  refused: {},
  silent: { "anthropic/messages_json_anthropic_refusal": "a refusal without a word" },
};

async function setScene(world: World, exchange: Exchange, { dialect, read }: Direction): Promise<Scene> {
  const recording = loadRecording(exchange);
  const stage = await setStage(world, recording, { dialect, kind: "chat" });
  return Object.assign(stage, { crossed: read(recording) });
}

function cutterOf({ recording, calls }: Scene) {
  const random = randomOf(`${recording.exchange.dir} crossed ${calls}`);
  return (body: Buffer) => cutAtRandom(body, random);
}

/** Makes one call by `send`; the upstream must be asked in its own dialect, once, and with the client's tools. */
async function cross<T>(
  scene: Scene,
  direction: Direction,
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const { recording, model, isStream } = scene;
  const body = direction.request(recording, model, isStream);
  const { result, asked } = await act(scene, cutterOf(scene), () => send(body));
  expect(asked.map((one) => one.path)).toEqual([direction.path]);
  const sent = asked[0]?.body ?? {};
  expect(sent).toMatchObject({ model: recording.request.model });
  expect(sent.stream === true).toBe(isStream);
  expect(offeredNames(sent)).toEqual(toolNames(recording));
  await checkLedger(scene, settlementOf(scene.crossed));
  return result;
}

async function readAsMessages(scene: Scene): Promise<void> {
  const { gateway, secret } = scene;
  for (const major of [1, 0] as const) {
    const client = { major, manner: "accumulated", url: gateway.url, secret, beta: null } as const;
    checkCrossedMessage(scene, await cross(scene, toMessages, (body) => askMessages(client, body)));
  }
  if (scene.crossed.kind === "answer") {
    const ai = () => readMessageWithAi({ url: gateway.url, secret, model: scene.model }, scene.isStream);
    const { result } = await act(scene, cutterOf(scene), ai);
    checkCrossedAi(scene.crossed.said, result);
    await checkLedger(scene, settlementOf(scene.crossed));
  }
}

async function readAsChat(scene: Scene): Promise<void> {
  const { gateway, secret, isStream } = scene;
  const asking = isStream ? { stream_options: { include_usage: true } } : {};
  const ways = [
    { major: 7, manner: "chunks" },
    { major: 6, manner: "accumulated" },
  ] as const;
  for (const way of ways) {
    const client = { ...way, url: gateway.url, secret };
    const read = await cross(scene, toChat, (body) => ask(client, { ...body, ...asking }));
    checkCrossedChat(scene, way.manner, read);
  }
}

type Crossing = {
  endpoints: string[];
  name: string;
  direction: Direction;
  readAll: (scene: Scene) => Promise<void>;
};

const crossings: Crossing[] = [
  {
    endpoints: ["openai.chat"],
    name: "a recorded chat answer, cut anywhere, is what a messages client reads",
    direction: toMessages,
    readAll: readAsMessages,
  },
  {
    endpoints: ["anthropic.messages", "vertex.anthropic"],
    name: "a recorded message, cut anywhere, is what a chat client reads",
    direction: toChat,
    readAll: readAsChat,
  },
];

replaySuite(
  crossings.flatMap(({ endpoints }) => endpoints),
  (all, world) => {
    describe.each(crossings)("$name", ({ endpoints, direction, readAll }) => {
      const exchanges = all.filter((exchange) => endpoints.includes(exchange.endpoint));
      const readings = () =>
        exchanges.map((exchange) => ({ exchange, crossed: direction.read(loadRecording(exchange)) }));

      test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
        "$dir",
        async ({ exchange }) => readAll(await setScene(world(), exchange, direction)),
      );

      test("an exchange that cannot be read so is refused for a reason that is named", () => {
        const refused = readings().filter(
          ({ exchange, crossed }) =>
            // A refusal of the upstream's own needs no reason of ours.
            exchange.status < 400 && crossed.kind === "refused",
        );
        checkNamed(
          "refused",
          refused.map(({ exchange }) => exchange),
          direction.refused,
        );
      });

      test("an answer of which nothing is left is named with its reason", () => {
        const silent = readings().filter(
          ({ crossed }) => crossed.kind === "answer" && isSilent(crossed.said),
        );
        checkNamed(
          "silent",
          silent.map(({ exchange }) => exchange),
          direction.silent,
        );
      });
    });
  },
);

import { describe, expect, test } from "vitest";
import { ask, type ChatRead } from "./chat-client";
import { readRecording } from "./chat-oracle";
import { type JsonObject, loadRecording, type RecordedExchange, type Recording } from "./corpus";
import { type CrossedScene, checkCrossedChat, checkCrossedMessage } from "./crossed-checks";
import { type Crossed, chatAsMessage, isSilent, messageAsChat } from "./crossed-oracle";
import {
  asChatRequest,
  asMessagesRequest,
  asResponsesRequest,
  offeredNames,
  toolNames,
} from "./crossed-request";
import { asGeminiRequest, askGemini, checkGemini } from "./gemini-client";
import { askMessages } from "./messages-client";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { askResponses, checkResponse } from "./responses-client";
import { act, checkLedger, setStage, settlementOf } from "./stage";
import { checkNamed, type ReplayWorld, replaySuite, rowsOf } from "./suite";
import { createTaped } from "./taped";

type Request = (recording: Recording, model: string, isStream: boolean) => JsonObject;

type GatewayAccess = { url: string; secret: string; fetch: typeof fetch };

/**
 * Makes one call, whose answer each reader reads. Checks that the upstream gets one request, in its own dialect and
 * with the client's tools.
 */
async function cross<T>(
  scene: CrossedScene,
  request: Request,
  readers: ((body: JsonObject, door: GatewayAccess) => Promise<T>)[],
): Promise<T[]> {
  const { recording, model, isStream, calls, gateway, secret } = scene;
  const random = randomOf(`${recording.exchange.dir} crossed ${calls}`);
  const body = request(recording, model, isStream);
  const { result, requests } = await act(
    scene,
    (bytes) => cutAtRandom(bytes, random),
    async () => {
      const door = { url: gateway.url, secret, fetch: createTaped().fetch };
      const reads: T[] = [];
      for (const read of readers) {
        reads.push(await read(body, door));
      }
      return reads;
    },
  );
  const path = recording.exchange.endpoint === "openai.chat" ? "/v1/chat/completions" : "/v1/messages";
  expect(requests.map((call) => call.path)).toEqual([path]);
  const upstreamBody = requests[0]?.body ?? {};
  expect(upstreamBody).toMatchObject({ model: recording.request.model });
  expect(upstreamBody.stream === true).toBe(isStream);
  expect(offeredNames(upstreamBody)).toEqual(toolNames(recording));
  await checkLedger(scene, settlementOf(scene.crossed));
  return result;
}

/** How clients of each dialect make the call, and the check of their readings. */
const clients = {
  messages: async (scene: CrossedScene) => {
    const readers = ([1, 0] as const).map(
      (major) => (body: JsonObject, door: GatewayAccess) => askMessages({ major, ...door }, body),
    );
    for (const read of await cross(scene, asMessagesRequest, readers)) {
      checkCrossedMessage(scene, read);
    }
  },
  chat: async (scene: CrossedScene) => {
    const asking = scene.isStream ? { stream_options: { include_usage: true } } : {};
    const request: Request = (...args) => ({ ...asChatRequest(...args), ...asking });
    const [chunks, accumulated] = await cross(scene, request, [
      (body, door) => ask({ major: 7, manner: "chunks", ...door }, body),
      (body, door) => ask({ major: 6, manner: "accumulated", ...door }, body),
    ]);
    checkCrossedChat(scene, "chunks", chunks as ChatRead);
    checkCrossedChat(scene, "accumulated", accumulated as ChatRead);
  },
  responses: async (scene: CrossedScene) => {
    const readers = ([6, 7] as const).map(
      (major) => (body: JsonObject, door: GatewayAccess) => askResponses({ major, ...door }, body),
    );
    for (const read of await cross(scene, asResponsesRequest, readers)) {
      checkResponse(scene, read);
    }
  },
  gemini: async (scene: CrossedScene) => {
    // Google's SDK accepts no `fetch`: each recording is read at one of the two addresses, and some at each.
    const apiVersion = randomOf(`${scene.recording.exchange.dir} version`)() < 0.5 ? "v1" : "v1beta";
    const readers = [
      (body: JsonObject, door: GatewayAccess) => askGemini({ ...door, apiVersion }, body, scene.isStream),
    ];
    for (const read of await cross(scene, asGeminiRequest, readers)) {
      checkGemini(scene, read);
    }
  },
};

const ofChat = (recording: Recording) => chatAsMessage(readRecording(recording));
const ofMessages = (recording: Recording) => messageAsChat(readMessages(recording));

/** With a refusal in the upstream's own words: only Claude Code needs other words. */
function ofChatAsSaid(recording: Recording): Crossed {
  const crossed = ofChat(recording);
  if (crossed.kind !== "refused" || crossed.refused.message === null) {
    return crossed;
  }
  const message = crossed.refused.message.replace(/^prompt is too long: /, "");
  return { kind: "refused", refused: { ...crossed.refused, message } };
}

type RecordingSource = {
  /** The dialect of the recording, and so of the channel. */
  dialect: "openai" | "anthropic";
  endpoints: string[];
  read: (recording: Recording) => Crossed;
  to: Partial<Record<keyof typeof clients, (recording: Recording) => Crossed>>;
  /** Exchanges that cannot be translated for a client of another dialect, and why. */
  refused: Record<string, string>;
  /** Answers in which such a client reads nothing, and why. */
  silent: Record<string, string>;
};

const sources: RecordingSource[] = [
  {
    dialect: "openai",
    endpoints: ["openai.chat"],
    read: ofChat,
    to: { messages: ofChat, responses: ofChat, gemini: ofChatAsSaid },
    refused: {
      "azure-openai/chat_json_prompt_content_filtering":
        "an error in a body of status 200: 400, with its words",
      "mistral/chat_json_mistral_transcription": "a transcription filed under chat: a text, and no choices",
    },
    silent: {
      "azure-openai/chat_json_chat_content_filtering": "the vendor's filter held the text back: a refusal",
      "openai/chat_json_chat_text_to_audio": "the answer is speech, which the messages dialect has not",
    },
  },
  {
    dialect: "anthropic",
    endpoints: ["anthropic.messages", "vertex.anthropic"],
    read: ofMessages,
    to: { chat: ofMessages, responses: ofMessages, gemini: ofMessages },
    refused: {},
    silent: { "anthropic/messages_json_anthropic_refusal": "a refusal without a word" },
  },
];

async function setScene(
  world: ReplayWorld,
  exchange: RecordedExchange,
  { dialect, read }: Pick<RecordingSource, "dialect" | "read">,
): Promise<CrossedScene> {
  const recording = loadRecording(exchange);
  const stage = await setStage(world, recording, { dialect });
  return Object.assign(stage, { crossed: read(recording) });
}

replaySuite(
  sources.flatMap(({ endpoints }) => endpoints),
  (all, world) => {
    describe.each(sources)(
      "a recording in the dialect $dialect, cut anywhere,",
      ({ dialect, endpoints, read, to, refused, silent }) => {
        const exchanges = all.filter((exchange) => endpoints.includes(exchange.endpoint));

        const readers = Object.entries(to) as [keyof typeof clients, RecordingSource["read"]][];
        describe.each(readers)("is read correctly by a client of %s", (client, readFor) => {
          test.each(rowsOf(exchanges))("$dir", async ({ exchange }) =>
            clients[client](await setScene(world, exchange, { dialect, read: readFor })),
          );
        });

        const exchangesWhere = (is: (crossed: Crossed, exchange: RecordedExchange) => boolean) =>
          exchanges.filter((exchange) => is(read(loadRecording(exchange)), exchange));

        test("that other dialects cannot read is refused for a listed reason", () => {
          // A refusal by the upstream itself needs no named reason.
          const refusedExchanges = exchangesWhere(
            ({ kind }, { status }) => status < 400 && kind === "refused",
          );
          checkNamed("refused", refusedExchanges, refused);
        });

        test("in which other dialects read nothing is listed with its reason", () => {
          const silentExchanges = exchangesWhere(
            (crossed) => crossed.kind === "answer" && isSilent(crossed.content),
          );
          checkNamed("silent", silentExchanges, silent);
        });
      },
    );
  },
);

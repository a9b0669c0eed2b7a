import { describe, test } from "vitest";
import { type ChatCallOptions, type ChatScene, callChat, checkRead, checkWire } from "./chat-checks";
import { ask, type ChatRead, type Major, type Manner } from "./chat-client";
import { isRefusal, readRecording } from "./chat-oracle";
import { loadRecording, minimalRequest } from "./corpus";
import { cutAtRandom, cutEverywhere, randomOf } from "./replay";
import { checkDoor, checkLedger, setStage, settlementOf } from "./stage";
import { checkNamed, replaySuite, rowsOf } from "./suite";
import { createTaped } from "./taped";

/** Exchanges without anything that a chat client could read, and why. They are replayed too, and must be refused. */
const leftOut: Record<string, string> = {
  "mistral/chat_json_mistral_transcription": "a transcription filed under chat: a text, and no choices",
};

/** Recorded requests that the gateway refuses itself, and why. Their answers are replayed to a valid request. */
const refusedAtTheDoor: Record<string, string> = {
  "openai/chat_json_chat_no_messages": "no message at all: spec 7 has the gateway say so",
};

/** Streams up to this size are also replayed byte by byte. */
const SMALL_BYTES = 6_000;

/** One call, and the SDKs that read its answer. */
type ReplayCall = ChatCallOptions & { readers: { major: Major; manner: Manner }[] };

/** The ways in which an exchange is replayed through the SDKs. */
function waysOf({ recording, isStream }: ChatScene): ReplayCall[] {
  const random = randomOf(recording.exchange.dir);
  const cut = (body: Buffer) => cutAtRandom(body, random);
  const readers = (major: Major, other: Major): ReplayCall["readers"] => [
    { major, manner: "chunks" },
    { major: other, manner: "accumulated" },
  ];
  const asking = { asksUsage: true, cut, readers: readers(7, 6) };
  const silent = { asksUsage: false, cut, readers: readers(6, 7) };
  if (!isStream) {
    return [asking];
  }
  const isSmall = recording.body.length <= SMALL_BYTES;
  return [asking, silent, ...(isSmall ? [{ ...asking, cut: cutEverywhere }] : [])];
}

/** Checks the answer of one call as each of its SDKs reads it, and as it is on the wire. */
async function replayWay(scene: ChatScene, way: ReplayCall): Promise<void> {
  const { gateway, secret, reading } = scene;
  const taped = createTaped();
  const reads = await callChat(scene, way, async (body) => {
    const door = { url: gateway.url, secret, fetch: taped.fetch };
    const heard: ChatRead[] = [];
    for (const reader of way.readers) {
      // An SDK's accumulator changes its argument.
      heard.push(await ask({ ...reader, ...door }, structuredClone(body)));
    }
    return heard;
  });
  for (const [index, { manner }] of way.readers.entries()) {
    checkRead(scene, { ...way, manner }, reads[index] as ChatRead);
  }
  if (!isRefusal(reading)) {
    await checkWire(scene, way, await taped.again());
  }
  await checkLedger(scene, settlementOf(reading));
}

replaySuite(["openai.chat"], (exchanges, world) => {
  describe("a recorded exchange, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(rowsOf(exchanges))("$dir", async ({ exchange }) => {
      const recording = loadRecording(exchange);
      const stage = await setStage(world, recording, { dialect: "openai" });
      const scene: ChatScene = Object.assign(stage, { reading: readRecording(recording) });
      const { gateway, secret, model } = scene;
      if (exchange.dir in refusedAtTheDoor) {
        await checkDoor(scene, () => gateway.chat(secret, { ...recording.request, model }));
        recording.request = minimalRequest(exchange);
      }
      const [first] = waysOf(scene) as [ReplayCall];
      if (isRefusal(scene.reading)) {
        // An SDK gets the refusal in its dialect's words; a plain client gets it in the envelope of spec 7.
        const response = await callChat(scene, first, (body) => gateway.chat(secret, body));
        await checkWire(scene, first, response);
        await replayWay(scene, first);
        return;
      }
      for (const way of waysOf(scene)) {
        await replayWay(scene, way);
      }
    });
  });

  test("an exchange that is no chat completion is listed with its reason", () => {
    const foreign = exchanges.filter((exchange) => readRecording(loadRecording(exchange)).kind === "foreign");
    checkNamed("left out", foreign, leftOut);
  });
});

import { describe, test } from "vitest";
import { type Call, callChat, checkRead, checkWire, type Scene } from "./chat-checks";
import { ask, type Major, type Manner } from "./chat-client";
import { isRefusal, readRecording } from "./chat-oracle";
import { loadRecording, minimalRequest } from "./corpus";
import { cutAtRandom, cutEverywhere, randomOf } from "./replay";
import { checkDoor, checkLedger, setStage, settlementOf } from "./stage";
import { checkNamed, replaySuite, rowsOf } from "./suite";

/** Exchanges that say nothing a chat client could read, and why. They are replayed too, and must be refused well. */
const leftOut: Record<string, string> = {
  "mistral/chat_json_mistral_transcription": "a transcription filed under chat: a text, and no choices",
};

/**
 * Recorded requests that the gateway refuses itself, and why. Their answers are replayed to a request that it takes.
 */
const refusedAtTheDoor: Record<string, string> = {
  "openai/chat_json_chat_no_messages": "no message at all: spec 7 has the gateway say so",
};

/** Streams up to this size are replayed byte by byte, too. */
const SMALL_BYTES = 6_000;

type Way = Call & { major: Major; manner: Manner };

/** The ways in which an exchange is replayed through the SDKs. */
function waysOf({ recording, reading, isStream }: Scene): Way[] {
  const random = randomOf(recording.exchange.dir);
  const cut = (body: Buffer) => cutAtRandom(body, random);
  const ways: Way[] = [
    { major: 7, manner: "chunks", asksUsage: true, cut },
    { major: 6, manner: "chunks", asksUsage: false, cut },
  ];
  // Three refusals leave a channel's breaker closed.
  if (isRefusal(reading)) {
    return ways;
  }
  ways.push({ major: 6, manner: "accumulated", asksUsage: true, cut });
  if (isStream) {
    ways.push({ major: 7, manner: "accumulated", asksUsage: false, cut });
  }
  if (isStream && recording.body.length <= SMALL_BYTES) {
    ways.push({ major: 7, manner: "chunks", asksUsage: true, cut: cutEverywhere });
  }
  return ways;
}

/** The calls whose answers are looked at on the wire. */
function wireCallsOf({ recording, reading, isStream }: Scene): Call[] {
  const random = randomOf(`${recording.exchange.dir} wire`);
  const cut = (body: Buffer) => cutAtRandom(body, random);
  const isTwice = isStream && reading.kind === "answer";
  return [{ asksUsage: false, cut }, ...(isTwice ? [{ asksUsage: true, cut }] : [])];
}

replaySuite(["openai.chat"], (exchanges, world) => {
  describe("a recorded exchange, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(rowsOf(exchanges))("$dir", async ({ exchange }) => {
      const recording = loadRecording(exchange);
      const stage = await setStage(world, recording, { dialect: "openai" });
      const scene: Scene = Object.assign(stage, { reading: readRecording(recording) });
      const { gateway, secret, model } = scene;
      if (exchange.dir in refusedAtTheDoor) {
        await checkDoor(scene, () => gateway.chat(secret, { ...recording.request, model }));
        recording.request = minimalRequest(exchange);
      }
      for (const way of waysOf(scene)) {
        const read = await callChat(scene, way, (body) => ask({ ...way, url: gateway.url, secret }, body));
        checkRead(scene, way, read);
        await checkLedger(scene, settlementOf(scene.reading));
      }
      for (const call of wireCallsOf(scene)) {
        const response = await callChat(scene, call, (body) => gateway.chat(secret, body));
        await checkWire(scene, call, response);
        await checkLedger(scene, settlementOf(scene.reading));
      }
    });
  });

  test("an exchange that is no chat completion is named with its reason", () => {
    const foreign = exchanges.filter((exchange) => readRecording(loadRecording(exchange)).kind === "foreign");
    checkNamed("left out", foreign, leftOut);
  });
});

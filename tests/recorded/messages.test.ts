import { describe, test } from "vitest";
import { loadRecording, minimalRequest, type RecordedExchange } from "./corpus";
import { callMessages, checkMessagesWire, headersOf, type MessagesScene } from "./messages-checks";
import { postMessages } from "./messages-client";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { checkDoor, checkLedger, setStage, settlementOf } from "./stage";
import { type ReplayWorld, replaySuite, rowsOf } from "./suite";

/** Recorded requests that the gateway refuses itself, and why. Their answers are replayed to a valid request. */
const refusedAtTheDoor: Record<string, string> = {
  "anthropic/messages_json_anthropic_completion_error":
    "a message that is a string, and so neither a role nor content",
};

async function setScene(world: ReplayWorld, exchange: RecordedExchange): Promise<MessagesScene> {
  const recording = loadRecording(exchange);
  const stage = await setStage(world, recording, { dialect: "anthropic" });
  return Object.assign(stage, { reading: readMessages(recording) });
}

async function replayOnWire(scene: MessagesScene): Promise<void> {
  const { gateway, secret, recording } = scene;
  const random = randomOf(`${recording.exchange.dir} wire`);
  const door = { url: gateway.url, secret, headers: headersOf(scene) };
  const response = await callMessages(
    scene,
    (body) => cutAtRandom(body, random),
    (body) => postMessages(door, body),
  );
  await checkMessagesWire(scene, response);
  await checkLedger(scene, settlementOf(scene.reading));
}

replaySuite(["anthropic.messages", "vertex.anthropic"], (exchanges, world) => {
  describe("a recorded message, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(rowsOf(exchanges))("$dir", async ({ exchange }) => {
      const scene = await setScene(world, exchange);
      if (exchange.dir in refusedAtTheDoor) {
        const { gateway, secret, model, recording } = scene;
        const door = { url: gateway.url, secret, headers: headersOf(scene) };
        await checkDoor(scene, () => postMessages(door, { ...recording.request, model }));
        recording.request = minimalRequest(exchange);
      }
      await replayOnWire(scene);
    });
  });
});

import { describe, test } from "vitest";
import { type Exchange, loadRecording, minimalRequest } from "./corpus";
import { betaOf, callMessages, checkMessagesRead, checkMessagesWire, type Scene } from "./messages-checks";
import { askMessages, type Major, type Manner, postMessages, versionOf } from "./messages-client";
import { readMessages, settlementOf } from "./messages-oracle";
import { cutAtRandom, cutEverywhere, randomOf } from "./replay";
import { checkDoor, checkLedger, setStage } from "./stage";
import { replaySuite, type World } from "./suite";

/**
 * Recorded requests that the gateway refuses itself, and why. Their answers are replayed to a request that it takes.
 */
const refusedAtTheDoor: Record<string, string> = {
  "anthropic/messages_json_anthropic_completion_error":
    "a message that is a string, and so neither a role nor content",
};

/** Streams up to this size are replayed byte by byte, too. */
const SMALL_BYTES = 6_000;

const cutterOf = ({ recording }: Scene, use: string) => {
  const random = randomOf(`${recording.exchange.dir} ${use}`);
  return (body: Buffer) => cutAtRandom(body, random);
};

type Way = { major: Major; manner: Manner; cut: (body: Buffer) => Buffer[] };

/** The ways in which an exchange is replayed through the SDKs. */
function waysOf(scene: Scene): Way[] {
  const cut = cutterOf(scene, "sdk");
  const ways: Way[] = [
    { major: 1, manner: "events", cut },
    { major: 0, manner: "events", cut },
  ];
  if (scene.reading.kind === "answer" && scene.isStream) {
    ways.push({ major: 1, manner: "accumulated", cut }, { major: 0, manner: "accumulated", cut });
    if (scene.recording.body.length <= SMALL_BYTES) {
      ways.push({ major: 1, manner: "events", cut: cutEverywhere });
    }
  }
  return ways;
}

async function setScene(world: World, exchange: Exchange): Promise<Scene> {
  const recording = loadRecording(exchange);
  const stage = await setStage(world, recording, { dialect: "anthropic" });
  return Object.assign(stage, { reading: readMessages(recording) });
}

async function replayThroughSdks(scene: Scene): Promise<void> {
  const { gateway, secret, reading } = scene;
  const beta = betaOf(scene);
  for (const way of waysOf(scene)) {
    const client = { ...way, beta, url: gateway.url, secret };
    const call = { cut: way.cut, beta, version: versionOf[way.major] };
    checkMessagesRead(scene, await callMessages(scene, call, (body) => askMessages(client, body)));
    await checkLedger(scene, settlementOf(reading));
  }
}

async function replayOnWire(scene: Scene): Promise<void> {
  const { gateway, secret, reading } = scene;
  const call = { cut: cutterOf(scene, "wire"), beta: null, version: versionOf[0] };
  const client = { url: gateway.url, secret };
  const response = await callMessages(scene, call, (body) => postMessages(client, body));
  await checkMessagesWire(scene, response);
  await checkLedger(scene, settlementOf(reading));
}

replaySuite(["anthropic.messages", "vertex.anthropic"], (exchanges, world) => {
  describe("a recorded message, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
      "$dir",
      async ({ exchange }) => {
        const scene = await setScene(world(), exchange);
        if (exchange.dir in refusedAtTheDoor) {
          const { gateway, secret, model, recording } = scene;
          const door = { url: gateway.url, secret };
          await checkDoor(scene, () => postMessages(door, { ...recording.request, model }));
          recording.request = minimalRequest(exchange);
        }
        await replayThroughSdks(scene);
        await replayOnWire(scene);
      },
    );
  });
});

import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { threadedRunner } from "./anthropic";
import { heardBy, toolTurns, usesOn } from "./conversation";
import { openStage, ways } from "./stage";

const stage = perFile(() => openStage());

// The SDK's runner asks the server to hold the conversation and then sends only new messages. No vendor behind us holds
// it for every channel: a channel that took the second request would see results without their calls.
describe.each(ways.filter((way) => way.takes(threadedRunner)))("through $name", (way) => {
  test.each([
    ["in a stream", true],
    ["as a whole", false],
  ])(
    "a client that wants the server to hold its conversation sends all of it instead, %s",
    async (_how, isStream) => {
      const { result, requests, charges } = await stage.perform(way, toolTurns, (target) =>
        threadedRunner.toolLoop(target, { isStream }),
      );
      expect(result).toEqual(heardBy(threadedRunner));
      expect(way.readToolUses(requests.at(-1)?.body)).toEqual(usesOn(way, threadedRunner));
      expect(charges.map(({ kind }) => kind)).toEqual(["capture", "capture"]);
    },
  );
});

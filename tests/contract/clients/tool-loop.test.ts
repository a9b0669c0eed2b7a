import { describe, expect, test } from "vitest";
import type { LedgerEntry } from "@/server/billing";
import { perFile } from "@/tests/support/per-file";
import { clients } from "./clients";
import { heardBy, toolTurns, turnUsage, usesOn } from "./conversation";
import { openStage, ways } from "./stage";

const stage = perFile(() => openStage());

const tokensOf = ({ inputTokens, cacheReadTokens, outputTokens }: LedgerEntry) =>
  [inputTokens, cacheReadTokens, outputTokens].map(Number);

describe.each(ways)("through $name", (way) => {
  describe.each(clients.filter(way.takes))("$name", (client) => {
    test.each([
      ["in a stream", true],
      ["as a whole", false],
    ])("runs two tools at once and returns their results, %s", async (_how, isStream) => {
      const { result, requests, charges, drift } = await stage.perform(way, toolTurns, (target) =>
        client.toolLoop(target, { isStream }),
      );
      expect(result).toEqual(heardBy(client));
      expect(way.readToolUses(requests.at(-1)?.body)).toEqual(usesOn(way, client));
      if (client.dialect !== way.dialect) {
        expect(requests[1]?.raw.includes('"reasoning_content"')).toBe(way.echoesThinking);
      }
      expect(requests[0]?.body).toMatchObject(way.terms);
      expect(requests.length).toBe(2);
      // Newest first.
      expect(charges.map((charge) => [charge.kind, charge.usageSource, ...tokensOf(charge)])).toEqual(
        turnUsage
          .map(({ input, cached, output }) => ["capture", "upstream", input - cached, cached, output])
          .reverse(),
      );
      expect(drift).toEqual([]);
    });
  });
});

import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { claudeCode, showRead } from "./claude-code";
import { dataUrl, type Picture } from "./client";
import { clients } from "./clients";
import { openStage, ways } from "./stage";

const stage = perFile(() => openStage());

/** One red pixel. */
const pixel: Picture = {
  mediaType: "image/png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
};
const address: Picture = { url: "https://example.com/red.png?size=1&of=1" };
const turns = [{ text: "A red dot." }];

describe.each(ways)("through $name", (way) => {
  describe.each(clients.filter(way.takes))("$name", (client) => {
    test.each([
      ["inside the request", pixel],
      ["by its address", address],
    ])("shows a picture %s, untouched", async (_how, picture) => {
      const { result, asked, charges, drift } = await stage.perform(way, turns, (target) =>
        client.show(target, picture),
      );
      expect(result).toBe("A red dot.");
      expect(way.readImages(asked[0]?.body)).toEqual([dataUrl(picture)]);
      expect(asked.length).toBe(1);
      expect(charges.map(({ kind }) => kind)).toEqual(["capture"]);
      expect(drift).toEqual([]);
    });
  });
});

describe.each(ways.filter((way) => way.takes(claudeCode)))("through $name", (way) => {
  test("Claude Code shows a picture that a tool has read", async () => {
    const { result, asked } = await stage.perform(way, [{}, ...turns], (target) => showRead(target, pixel));
    expect(result).toBe("A red dot.");
    expect(way.readImages(asked[0]?.body)).toEqual([dataUrl(pixel)]);
  });
});

import { expect } from "vitest";
import type { JsonObject } from "@/server/protocol/fields";

/** The events of a stream; each is named after its data. */
export const namedEventsOf = (stream: string): JsonObject[] =>
  stream
    .split("\n\n")
    .filter((frame) => frame.startsWith("event: "))
    .map((frame) => {
      const [name, data = ""] = frame.split("\n");
      const event = JSON.parse(data.slice("data: ".length)) as JsonObject;
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });

import { expect, test } from "vitest";
import { noteOf } from "./channel";

test("a route that calls cannot take has a note with the strongest reason", () => {
  const way = { isEnabled: true, canTake: ["chat" as const], state: "well" as const, weight: 1 };
  expect(noteOf(way, ["chat"])).toBeNull();
  expect(noteOf(way, null)).toBeNull();
  expect(noteOf({ ...way, weight: 0 }, ["chat"])).toBe("spare");
  expect(noteOf({ ...way, state: "probing" }, ["chat"])).toBe("probing");
  expect(noteOf({ ...way, state: "open" }, ["videos"])).toBe("cannot");
  expect(noteOf({ ...way, isEnabled: false }, ["videos"])).toBe("disabled");
});

import { expect, test } from "vitest";
import { gate } from "@/tests/support/gate";
import { oneAtATime } from "./background-look";

type LookResult = "fails" | "goes well";

test.each<[first: LookResult, second: LookResult]>([
  ["goes well", "goes well"],
  ["fails", "goes well"],
  ["goes well", "fails"],
  ["fails", "fails"],
])(
  "a look that is requested during another one follows it, if the first %s and the second %s",
  async (...ends) => {
    const { open: letGo, opened } = gate();
    let looks = 0;
    const look = oneAtATime(async () => {
      const end = ends[looks++];
      await opened;
      if (end === "fails") {
        throw new Error("no database");
      }
    });
    const results = Promise.allSettled([look(), look(), look()]);
    expect(looks).toBe(1);
    letGo();
    const status = ends[1] === "fails" ? "rejected" : "fulfilled";
    expect((await results).map((result) => result.status)).toEqual([status, status, status]);
    expect(looks).toBe(2);
  },
);

import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../fields";
import { explainFailure, memberReader } from "./object";

const schema = z.looseObject({ a: z.string(), b: z.number().nullish(), c: z.array(z.string()).nullish() });
const value = fc.constantFrom<unknown>("text", 1, null, undefined, ["x"], [1], {});
const bodies = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "constructor"), value, {
  noNullPrototype: true,
});

/** The error that the function throws. null: none. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return null;
  } catch (error) {
    return error;
  }
}

test("a reader of members refuses the bodies that the whole schema refuses, for the same member", () => {
  const read = memberReader(schema, {});
  fc.assert(
    fc.property(bodies, (fields: JsonObject) => {
      const { error, data } = schema.safeParse(fields);
      expect(thrownBy(() => expect(read(fields)).toEqual(data))).toEqual(
        error ? explainFailure(error, {}) : null,
      );
    }),
  );
});

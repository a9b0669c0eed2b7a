import { expect, test } from "vitest";
import { overridesSchema } from "@/server/channels";
import { capabilityFields, withOverride } from "./capability-fields";

const vendorApis = ["openai", "openai-responses", "anthropic", "gemini", "sandbox"] as const;

test.each(vendorApis)(
  "each capability of a channel with the dialect %s has a field, and each value of the field is accepted",
  (dialect) => {
    const schema = overridesSchema(dialect);
    const fields = capabilityFields(dialect);
    for (const field of fields) {
      const samples = {
        choice: field.kind === "choice" ? field.values : [],
        number: [null, "min" in field ? field.min : 1],
        list: field.kind === "list" ? [field.values, []] : [],
      };
      for (const value of samples[field.kind]) {
        expect(schema.safeParse({ [field.name]: value }).success, `${field.name}: ${value}`).toBe(true);
      }
    }
    const counts = { anthropic: 17, "openai-responses": 15, gemini: 15, openai: 24, sandbox: 24 };
    expect(new Set(fields.map(({ name }) => name)).size).toBe(counts[dialect]);
    expect(schema.safeParse({ anythingElse: true }).success).toBe(false);
  },
);

test("an override that is removed is left to the preset", () => {
  const overrides = withOverride({}, "topK", true);
  expect(overrides).toEqual({ topK: true });
  expect(withOverride(overrides, "topK", undefined)).toEqual({});
  expect(withOverride(overrides, "maxStops", null)).toEqual({ topK: true, maxStops: null });
});

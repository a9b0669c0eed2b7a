import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { usualCapabilities } from "../capabilities";
import { parseCompletion } from "./conversation";

const bodyOf = (fields: object, premiumTiers = false) => {
  const capabilities = { ...usualCapabilities.chat, completions: true, premiumTiers };
  const raw = JSON.stringify({ model: "public", prompt: "a", suffix: "c", ...fields });
  const plan = atOnce(
    parseCompletion(raw).planFor({ dialect: "chat", name: "up", capabilities }, terms(100)),
  );
  return JSON.parse(String(plan.body));
};

test("a completion with a suffix goes out in its client's words, at its model's price", () => {
  const dearer = {
    service_tier: "priority",
    models: ["other"],
    fallbacks: ["other"],
    extra_body: { model: "other" },
  };
  expect(bodyOf({ seed: 1, best_of: 1, ...dearer })).toMatchObject({
    ...{ model: "up", prompt: "a", suffix: "c", seed: 1 },
    ...{ service_tier: "default", models: ["up"], fallbacks: [], extra_body: { model: "up" } },
  });
  expect(bodyOf(dearer, true).service_tier).toBe("priority");
});

test.each([2, "2", [2]])("a completion with best_of %j is refused", (best_of) => {
  expect(() => bodyOf({ best_of })).toThrow(/best_of/);
});

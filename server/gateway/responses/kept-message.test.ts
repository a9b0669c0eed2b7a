import { expect, test } from "vitest";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { keptMessage } from "./kept-message";

const outward = { redact: (text: string) => text.replaceAll("sk-secret", "***"), language: "en" } as const;

test.each([
  [
    new GatewayError("invalidParameters", errorMessages.mustBeText("user")),
    "user must be a string",
    "ours, as it is",
  ],
  [
    new GatewayError("upstreamRejected", "sk-secret: Rate limit reached for Ada"),
    "…Rate limit reached…",
    "the vendor's, by its terms",
  ],
  [new GatewayError("upstreamRejected", "Ada"), null, "the vendor's, of which nothing may be kept"],
])("%s is kept as %j: %s", (error, kept, _how) => {
  expect(keptMessage(error, outward)).toBe(kept);
});

test("is never longer than there is room for", () => {
  const error = new GatewayError("invalidParameters", errorMessages.unknownMember("x".repeat(10_000)));
  expect(keptMessage(error, outward)).toHaveLength(500);
});

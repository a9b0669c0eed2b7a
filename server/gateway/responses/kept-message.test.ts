import { expect, test } from "vitest";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { keptMessage } from "./kept-message";

const outward = { redact: (text: string) => text.replaceAll("sk-secret", "***"), language: "en" } as const;

test.each([
  [
    new GatewayError("invalidParameters", errorMessages.mustBeText("user")),
    "user must be a string",
    "the gateway's message is kept unchanged",
  ],
  [
    new GatewayError("upstreamRejected", "sk-secret: Rate limit reached for Ada"),
    "…Rate limit reached…",
    "a vendor's message is kept as keywords",
  ],
  [new GatewayError("upstreamRejected", "Ada"), null, "a vendor's message without keywords is not kept"],
])("%s is stored as %j: %s", (error, kept, _how) => {
  expect(keptMessage(error, outward)).toBe(kept);
});

test("a stored message has at most 500 characters", () => {
  const error = new GatewayError("invalidParameters", errorMessages.unknownMember("x".repeat(10_000)));
  expect(keptMessage(error, outward)).toHaveLength(500);
});

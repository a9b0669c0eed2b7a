import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { betas, billingHeader, claudeCode } from "./claude-code";
import { toolTurns } from "./conversation";
import { openStage, ways } from "./stage";

const stage = perFile(() => openStage());

describe.each(ways)("Claude Code through $name", (way) => {
  test("passes its betas and its changing header to a vendor of its dialect only", async () => {
    const { requests } = await stage.perform(way, toolTurns, (target) =>
      claudeCode.toolLoop(target, { isStream: true }),
    );
    for (const { headers, raw } of requests) {
      expect(headers["anthropic-beta"]).toBe(way.dialect === "messages" ? betas : undefined);
      expect(raw.includes(billingHeader)).toBe(way.dialect === "messages");
    }
  });
});

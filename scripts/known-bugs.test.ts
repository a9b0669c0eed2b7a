import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Bugs that other gateways shipped, by their issues. Each has a test of ours that names it, but for those of `absent`.
 */
const bugs = [
  "litellm#32357",
  "litellm#25321",
  "litellm#33224",
  "litellm#13373",
  "litellm#24176",
  "litellm#30014",
  "litellm#15601",
  "litellm#9812",
  "litellm#11789",
  "litellm#15097",
  "litellm#12463",
  "litellm#19028",
  "litellm#20403",
  "litellm#23712",
  "litellm#13252",
  "litellm#36008",
  "litellm#15233",
  "litellm#16760",
  "new-api#5482",
  "new-api#5229",
  "new-api#5095",
  "new-api#2499",
  "new-api#4408",
  "new-api#5289",
  "new-api#7062",
  "new-api#4168",
  "new-api#5235",
  "one-api#1135",
  "Portkey#1275",
  "Portkey#497",
  "claude-code-router#1725",
  "claude-code-router#1397",
  "claude-code-router#1372",
  "claude-code-router#1799",
  "claude-code-router#4",
  "CLIProxyAPI#5581",
  "CLIProxyAPI#3748",
  "CLIProxyAPI#5617",
  "CLIProxyAPI#1700",
  "CLIProxyAPI#1584",
  "CLIProxyAPI#679",
  "CliRelay#739",
  "OmniRoute#686",
  "ollama#14816",
  "vllm#34745",
  "llmgateway#3389",
  "qwen-code#8160",
  "ogx#6367",
  "sglang#29083",
  "higress#3506",
  "copilot-api#273",
  "nyro#217",
  "headroom#2026",
  "apfel#100",
  "bitrouter#537",
  "sub2api#4408",
  "aisix#397",
  "anything-llm#5794",
  "docs-mcp-server#471",
  // Videos.
  "new-api#2050",
  "new-api#2025",
  "new-api#6074",
  "new-api#5556",
  "new-api#5923",
  "new-api#6172",
  "one-hub",
  "bottube#1535",
  "litellm#21907",
  "litellm#15898",
  "modelstudioai/cli#184",
];

/** Those that cannot occur here, and why. */
const absent: Record<string, string> = {
  "litellm#36008":
    "an abandoned stream is not drained: the upstream is aborted, and what came through is charged (bitrouter#537)",
  "litellm#15233":
    "tags inside content are left alone in streams and in JSON alike; a vendor's own reasoning field is what counts",
};

const testFiles = ["server", "tests", "scripts"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.endsWith("known-bugs.test.ts"))
    .map((path) => readFileSync(join(folder, path), "utf8")),
);

describe("a bug that another gateway shipped has a test that names it, or a reason why it cannot occur", () => {
  test.each(bugs)("%s", (bug) => {
    const isNamed = testFiles.some((text) => new RegExp(`${bug}\\b`).test(text));
    expect(isNamed !== Object.hasOwn(absent, bug), `${bug} has ${isNamed ? "a test" : "no test"}`).toBe(true);
  });
});

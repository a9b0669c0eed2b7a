import { describe, expect, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { refuseWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());

const { run, json } = commandsOn(() => gateway.databaseUrl);

const newChannel = (...flags: string[]) => [
  "channel",
  "add",
  "--name",
  "x",
  "--secret",
  "s",
  "--model",
  "m",
  ...flags,
];

test.each([
  ["--json", "channel", "vendors"],
  ["channel", "--json", "vendors"],
  ["channel", "vendors", "--json"],
])("--json may stand anywhere: %s %s %s", async (...words) => {
  const { code, out } = await run(...words);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ id: "zai" }));
});

test("a vendor's name stands for its endpoint and its models' capabilities, which the operator may overrule", async () => {
  const vendors = (await json("channel", "vendors")) as unknown as { id: string; base_url: string | null }[];
  expect(vendors).toContainEqual({
    id: "zai",
    name: expect.any(String),
    dialect: "openai",
    base_url: "https://api.z.ai/api/paas/v4",
  });
  const words = ["channel", "add", "--name", "claude", "--vendor", "anthropic", "--secret", "s"];
  const overruled = ["--capability", "a:b:maxOutputTokens=4096", "--capability", "a:b:effortLevels=low,high"];
  expect(
    await json(...words, "--model", "a:b=claude-opus-4-8", "--model", "claude-haiku-4-5", ...overruled),
  ).toMatchObject({ vendor: "anthropic", dialect: "anthropic", base_url: "https://api.anthropic.com/v1" });
  expect(await json("channel", "list", "--channel", "claude")).toMatchObject([
    {
      vendor: "anthropic",
      capabilities: {
        "a:b": { thinking: "adaptive", maxOutputTokens: 4096, effortLevels: ["low", "high"] },
        "claude-haiku-4-5": { thinking: "budget", maxOutputTokens: 64_000, effortLevels: [] },
      },
    },
  ]);
  await json("channel", "remove", "--channel", "claude");
});

test("a channel that is added before its models says which of them the catalog lacks, and then no more", async () => {
  const words = ["--vendor", "zai", "--secret", "s", "--model", "early", "--model", "earlier=glm-5"];
  const { note } = await json("channel", "add", "--name", "before", ...words);
  expect(note).toContain("earlier, early");
  for (const id of ["early", "earlier"]) {
    await json("model", "set", "--id", id, "--kind", "chat", "--input", "1", "--output", "1");
  }
  expect(await json("channel", "add", "--name", "after", ...words)).not.toHaveProperty("note");
  await json("channel", "remove", "--channel", "before");
  await json("channel", "remove", "--channel", "after");
});

describe("what a command refuses", () => {
  const usageErrors = [
    ["nothing at all", []],
    ["an unknown noun", ["planet", "list"]],
    ["an unknown verb", ["account", "explode"]],
    ["a missing flag", ["account", "create", "--name", "x"]],
    ["an unknown flag", ["account", "show", "--account", "x", "--loud"]],
    ["an amount that is none", ["account", "create", "--name", "x", "--quota", "1e3"]],
    ["a negative amount", ["account", "create", "--name", "x", "--quota=-1"]],
    [
      "an unknown dialect",
      [
        "channel",
        "add",
        "--name",
        "x",
        "--dialect",
        "klingon",
        "--base-url",
        "http://x",
        "--secret",
        "s",
        "--model",
        "m",
      ],
    ],
    ["neither a vendor nor a dialect", newChannel("--base-url", "http://x")],
    ["an unknown vendor", newChannel("--vendor", "acme")],
    ["a vendor of another dialect", newChannel("--vendor", "zai", "--dialect", "anthropic")],
    ["a vendor without a base URL of its own", newChannel("--vendor", "azure-openai")],
    ["an unknown capability", newChannel("--vendor", "zai", "--capability", "m:telepathy=true")],
    ["a capability of no model", newChannel("--vendor", "zai", "--capability", "other:topK=true")],
    [
      "a way of thinking of the other dialect",
      newChannel("--vendor", "zai", "--capability", "m:thinking=budget"),
    ],
    ["a moment that is none", ["key", "create", "--account", "x", "--name", "y", "--expires", "soon"]],
  ] as const;
  test.each(usageErrors)("%s: exit 2, a reason, nothing on stdout", async (_name, words) => {
    const { code, out, err } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trim()).not.toBe("");
  });

  test("a capability's value that is none is named", async () => {
    const words = newChannel("--vendor", "zai", "--capability", "m:maxStops=many");
    expect(await run(...words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining("maxStops") });
  });

  test("an account that does not exist: exit 1 with the reason", async () => {
    expect(await run("account", "show", "--account", "nobody")).toEqual({
      code: 1,
      out: "",
      err: 'there is no account "nobody"\n',
    });
  });

  test("an allow-list rule that is none: exit 1 with the reason", async () => {
    const { accountId } = await gateway.customer();
    const { code, err } = await run(
      "key",
      "create",
      "--account",
      accountId,
      "--name",
      "k",
      "--allow-ip",
      "10.0.0.0/40",
    );
    expect(code).toBe(1);
    expect(err).toContain("10.0.0.0/40");
  });

  test("a channel whose upstream refuses: exit 1 with the upstream's words", async () => {
    const refusing = await startUpstream(refuseWith(401, "your key is old"));
    const model = await gateway.model();
    const id = await gateway.channel({ model, baseUrl: refusing.baseUrl });
    const { code, err } = await run("channel", "test", "--channel", id);
    expect(code).toBe(1);
    expect(err).toContain("your key is old");
    await refusing.close();
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";

const gateway = perFile(() => startGateway());

const { run, json } = commandsOn(() => gateway.databaseUrl);

describe("channel edit", () => {
  let serial = 0;
  let name: string;
  beforeEach(async () => {
    name = `edited-${serial++}`;
    const models = ["--model", "a=x", "--model", "b", "--capability", "a:topK=true"];
    const traffic = ["--priority", "3", "--max-tasks", "4", "--timeout", "5", "--idle-timeout", "6"];
    const words = ["--name", name, "--vendor", "zai", "--secret", "sk-first-of-zai", ...models, ...traffic];
    await json("channel", "add", ...words);
  });

  const edit = (...flags: string[]) => ["channel", "edit", "--channel", name, ...flags];
  const shown = async () => {
    const [channel] = await json<Record<string, unknown>[]>("channel", "list", "--channel", name);
    return channel;
  };

  test("adds a capability to those that were said, and takes one back", async () => {
    await json(...edit("--capability", "b:maxStops=2", "--capability", "a:webSearch=true"));
    expect(await shown()).toMatchObject({
      models: { a: "x", b: "b" },
      capabilities: { a: { topK: true, webSearch: true }, b: { maxStops: 2 } },
    });
    await json(...edit("--capability", "a:topK=preset"));
    expect(await shown()).toMatchObject({ capabilities: { a: { topK: false, webSearch: true } } });
  });

  test("none lifts what a channel can be without", async () => {
    const lifted = edit(
      "--vendor",
      "none",
      "--max-tasks",
      "none",
      "--timeout",
      "none",
      "--idle-timeout",
      "none",
    );
    expect(await json(...lifted)).toMatchObject({
      vendor: null,
      max_tasks: null,
      timeout_seconds: null,
      idle_timeout_seconds: null,
      priority: 3,
    });
  });

  test.each([
    ["a vendor that is none", ["--vendor", "acme"], 2],
    ["a vendor of another dialect", ["--vendor", "anthropic"], 1],
    ["a capability of no model", ["--capability", "other:topK=true"], 2],
    ["a capability of a model that goes", ["--model", "b", "--capability", "a:topK=true"], 2],
    ["a number that is none", ["--timeout", "0"], 2],
    ["a base URL that is none", ["--base-url", "gopher://zai.test"], 1],
  ])("refuses %s, and nothing changes", async (_name, flags, code) => {
    const before = await shown();
    expect(await run(...edit("--weight", "7", ...flags))).toMatchObject({ code, out: "" });
    expect(await shown()).toEqual(before);
  });
});

describe("model set and model show", () => {
  test("of two that add it at once, the second one changes what the first one added", async () => {
    const words = (owner: string) => ["model", "set", "--id", "raced", "--kind", "chat", "--owner", owner];
    const made = await Promise.all([json(...words("one")), json(...words("two"))]);
    expect(made.map(({ owner }) => owner).sort()).toEqual(["one", "two"]);
  });
});

test("two edits of one channel's capabilities at once are both kept", async () => {
  const add = [
    "--name",
    "edited-twice",
    "--vendor",
    "openai",
    "--secret",
    "s",
    "--model",
    "one",
    "--model",
    "two",
  ];
  await json("channel", "add", ...add);
  await Promise.all(
    ["one:maxOutputTokens=11", "two:maxOutputTokens=12"].map((capability) =>
      json("channel", "edit", "--channel", "edited-twice", "--capability", capability),
    ),
  );
  expect(await json("channel", "list", "--channel", "edited-twice")).toMatchObject([
    { capabilities: { one: { maxOutputTokens: 11 }, two: { maxOutputTokens: 12 } } },
  ]);
});

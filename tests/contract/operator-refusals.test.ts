import { describe, expect, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import {
  type Answer,
  answerWith,
  refuseWith,
  sendJson,
  sseChunk,
  startUpstream,
} from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answer));

/** In the dialect and for the operation that it was asked in. */
const answer: Answer = (asked, response, request) => {
  if (asked.path.endsWith("/embeddings")) {
    return sendJson(response, 200, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } });
  }
  const say = asked.path.endsWith("/messages") ? answerMessageWith : answerWith;
  return say("fine")(asked, response, request);
};

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

test("a channel has timeouts of its own from the flags with which it is added and edited; what is not named stays", async () => {
  const timeouts = ["--timeout", "300", "--idle-timeout", "20"];
  expect(await json(...newChannel("--vendor", "zai", ...timeouts))).toMatchObject({
    timeout_seconds: 300,
    idle_timeout_seconds: 20,
  });
  await json("channel", "edit", "--channel", "x", "--timeout", "30");
  expect(await json("channel", "list", "--channel", "x")).toMatchObject([
    { timeout_seconds: 30, idle_timeout_seconds: 20 },
  ]);
  await json("channel", "edit", "--channel", "x", "--idle-timeout", "5");
  expect(await json("channel", "list", "--channel", "x")).toMatchObject([
    { timeout_seconds: 30, idle_timeout_seconds: 5 },
  ]);
  await json("channel", "remove", "--channel", "x");
});

test.each([
  ["openai", "gpt-5.1", "/v1/chat/completions", { max_completion_tokens: expect.any(Number) }],
  ["openai", "text-embedding-3-small", "/v1/embeddings", { input: expect.any(String) }],
  ["anthropic", "claude-haiku-4-5", "/v1/messages", { max_tokens: expect.any(Number) }],
] as const)("the test of an %s channel whose model is %s calls %s", async (...expected) => {
  const [dialect, model, path, body] = expected;
  const words = ["--dialect", dialect, "--base-url", upstream.baseUrl, "--secret", "s", "--model", model];
  await json("channel", "add", "--name", model, ...words);
  const stream = path === "/v1/embeddings" ? undefined : true;
  const tested = await json("channel", "test", "--channel", model);
  expect(tested).toMatchObject({ ok: true, usage: { input_tokens: expect.any(Number) } });
  expect(upstream.asked.at(-1)?.body.stream).toBe(stream);
  expect(upstream.asked.at(-1)).toMatchObject({ path, body: { model, ...body } });
  await json("channel", "remove", "--channel", model);
});

test("the test of a channel says where its upstream sends no counts: such calls are charged by estimate", async () => {
  const uncounting = await startUpstream((asked, response) => {
    if (asked.path.endsWith("/embeddings")) {
      return sendJson(response, 200, { data: [{ index: 0, embedding: [1] }] });
    }
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "fine" }, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${sseChunk(chunk)}data: [DONE]\n\n`);
  });
  for (const [model, where] of [
    ["gpt-4.1", "in its stream: streamed calls"],
    ["text-embedding-3-small", "with its answer: calls"],
  ] as const) {
    const words = [
      "--dialect",
      "openai",
      "--base-url",
      uncounting.baseUrl,
      "--secret",
      "s",
      "--model",
      model,
    ];
    await json("channel", "add", "--name", "uncounting", ...words);
    const tested = await json("channel", "test", "--channel", "uncounting");
    expect(tested).toMatchObject({
      ok: true,
      note: `the upstream sends no token counts ${where} are charged by estimate`,
    });
    expect(tested).not.toHaveProperty("usage");
    await json("channel", "remove", "--channel", "uncounting");
  }
  await uncounting.close();
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

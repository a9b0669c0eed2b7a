import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { type Capabilities, type Dialect, usualCapabilities } from "./capabilities";
import { parseChatConversation } from "./chat/conversation";
import { type JsonObject, objects } from "./fields";
import { parseMessagesConversation } from "./messages/conversation";

const long = "All that an agent has to know. ".repeat(400);
const mark = { type: "ephemeral" };
const system = { role: "system", content: long };
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
const agent = [
  system,
  { role: "user", content: "one" },
  { role: "assistant", content: "two" },
  { role: "user", content: "three" },
];

type UpstreamCase = { dialect: Dialect; takes?: Partial<Capabilities>; isPromptCached?: boolean };

/** The upstream's request for a chat client's call. */
function requestOf(
  fields: JsonObject,
  { dialect, takes = {}, isPromptCached = true }: UpstreamCase,
): JsonObject {
  const capabilities = { ...usualCapabilities[dialect], promptCache: "marks" as const, ...takes };
  const call = parseChatConversation(JSON.stringify({ model: "m", ...fields }));
  const upstream = { dialect, name: "up", capabilities };
  const plan = atOnce(call.planFor(upstream, terms(100, { inputTokens: call.inputTokens, isPromptCached })));
  return JSON.parse(String(plan.body)) as JsonObject;
}

/** The places of marks: `tools`, `system`, and the texts of turns; `all` for the request itself. */
function markedIn(body: JsonObject): string[] {
  const marked = (blocks: unknown) =>
    objects(blocks).filter(({ cache_control }) => cache_control !== undefined);
  const turns = objects(body.messages).flatMap(({ content }) => marked(content));
  return [
    ...(body.cache_control === undefined ? [] : ["all"]),
    ...marked(body.tools).map(() => "tools"),
    ...marked(body.system).map(() => "system"),
    ...turns.map(({ text }) => (text === long ? "system" : String(text))),
  ];
}

describe.each<Dialect>(["messages", "chat"])(
  "a chat client's prompt at an upstream of the dialect %s",
  (dialect) => {
    test.each<[string, JsonObject, Partial<UpstreamCase>, string[]]>([
      [
        "of an agent's later turn is marked in three places",
        { messages: agent },
        {},
        ["system", "one", "three"],
      ],
      [
        "of an agent's first turn is marked at its end as well",
        { messages: agent.slice(0, 2), tools },
        {},
        ["system", "one"],
      ],
      [
        "without tools or a second turn is marked at its system text alone",
        { messages: agent.slice(0, 2) },
        {},
        ["system"],
      ],
      [
        "that is too short is not marked",
        { messages: agent.slice(1) },
        { takes: { cacheMinTokens: 1_024 } },
        [],
      ],
      ["of a key without prompt caching has no marks", { messages: agent }, { isPromptCached: false }, []],
      [
        "for a vendor that takes no marks has none",
        { messages: agent },
        { takes: { promptCache: "none" } },
        [],
      ],
      [
        "that its client marks stays as it is",
        {
          messages: [
            system,
            { role: "user", content: [{ type: "text", text: "mine", cache_control: mark }] },
          ],
          tools,
        },
        {},
        ["mine"],
      ],
      [
        "with the client's own cache_control is marked, whatever the key's setting",
        { messages: agent.slice(0, 2), cache_control: mark },
        { isPromptCached: false },
        ["system", "one"],
      ],
    ])("%s", (...[, fields, more, places]) => {
      expect(markedIn(requestOf(fields, { dialect, ...more }))).toEqual(places);
    });
  },
);

test("the mark on a turn that the gateway inserts stays in its call", () => {
  const beginning = [
    system,
    { role: "assistant", content: "Hi. What shall I do?" },
    { role: "user", content: "one" },
  ];
  const places = () => markedIn(requestOf({ messages: beginning, tools }, { dialect: "messages" }));
  expect([places(), places()]).toEqual(Array(2).fill(["system", "...", "one"]));
});

test("tools are marked if they are long enough by themselves", () => {
  const described = [{ type: "function", function: { name: "look", description: long, parameters: {} } }];
  const body = requestOf(
    { messages: agent, tools: described },
    { dialect: "messages", takes: { cacheMinTokens: 1_024 } },
  );
  expect(markedIn(body)).toEqual(["tools", "system", "one", "three"]);
});

test.each<Dialect>(["messages", "chat"])(
  "a vendor of the dialect %s that marks the end of a prompt itself gets cache_control with the client's time",
  (dialect) => {
    const hour = { type: "ephemeral", ttl: "1h" };
    const takes = { promptCache: "automatic" as const };
    const body = requestOf({ messages: agent, cache_control: hour }, { dialect, takes });
    expect(markedIn(body)).toEqual(["all", "system"]);
    expect(body.cache_control).toEqual(hour);
  },
);

test("a marked call keeps parts of content that are no objects", () => {
  const big = '{"role":"user","content":["plain",{"type":"text","text":"x"}]}';
  const raw = `{"model":"m","messages":[${big},{"role":"assistant","content":"y"},{"role":"user","content":"z"}]}`;
  const call = parseChatConversation(raw);
  const capabilities = { ...usualCapabilities.chat, promptCache: "marks" as const };
  const { body } = atOnce(
    call.planFor({ dialect: "chat", name: "up", capabilities }, terms(5, { isPromptCached: true })),
  );
  expect(body).toContain('["plain",{"type":"text","text":"x","cache_control"');
});

test("a marked call keeps the digits of its numbers", () => {
  const digits = '"seed":2512292042121000001,"at":1.0,"big":1e400';
  const part = `{"type":"text","text":"x",${digits}}`;
  const raw = `{"model":"m","messages":[{"role":"user","content":[${part}]},{"role":"assistant","content":"y",${digits}},{"role":"user","content":"z",${digits}}]}`;
  const capabilities = { ...usualCapabilities.chat, promptCache: "marks" as const };
  const cached = terms(5, { isPromptCached: true });
  const { body } = atOnce(
    parseChatConversation(raw).planFor({ dialect: "chat", name: "up", capabilities }, cached),
  );
  expect(String(body).split(digits)).toHaveLength(4);
  expect(body).toContain("cache_control");
});

test("the prompt of a call with a forced tool is not written to the cache", () => {
  const tool_choice = { type: "function", function: { name: "look" } };
  for (const dialect of ["chat", "messages"] as const) {
    expect(markedIn(requestOf({ messages: agent.slice(0, 2), tools, tool_choice }, { dialect }))).toEqual([
      "system",
    ]);
  }
});

test("results of tools are marked in the chat dialect, and other members of a message stay", () => {
  const call = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
  const messages = [
    { role: "user", content: "go", name: "Ann" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "found" },
  ];
  expect(requestOf({ messages, tools }, { dialect: "chat" }).messages).toEqual([
    { role: "user", content: [{ type: "text", text: "go", cache_control: mark }], name: "Ann" },
    messages[1],
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "found", cache_control: mark }] },
  ]);
});

test("a call of a messages client, whose dialect has marks, is forwarded without marks of the gateway", () => {
  const fields = { model: "m", max_tokens: 5, system: long, messages: [{ role: "user", content: "hi" }] };
  const call = parseMessagesConversation(JSON.stringify(fields), { headers: {} });
  const upstream = { dialect: "messages" as const, name: "up", capabilities: usualCapabilities.messages };
  const { body } = atOnce(call.planFor(upstream, terms(5, { inputTokens: 9_999, isPromptCached: true })));
  expect(body).not.toContain("cache_control");
});

import { imageBlock } from "./anthropic";
import { Answer, readStream } from "./claude-code-reader";
import { type Client, type Heard, type Picture, prompt, runTool, type Target, tools } from "./client";

/** Longer than OpenAI allows. */
const longName = "mcp__plugin_meteorology_central-european-weather-stations__look_up_weather";

/** Each request of it has another hash here. */
export const billingHeader =
  "x-anthropic-billing-header: cc_version=2.1.154.a1b; cc_entrypoint=cli; cch=0f3c1;";
export const betas =
  "claude-code-20250219,interleaved-thinking-2025-05-14,redact-thinking-2026-02-12,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24";

const ephemeral = { cache_control: { type: "ephemeral" } };
const otherTools =
  "Read Bash Edit Write Glob Grep Task TodoWrite WebFetch NotebookEdit BashOutput KillShell Skill".split(" ");
const [weather, time] = tools;

/**
 * What it sends, by the public issues that hold dumps of it. The system role inside `messages` is its hooks speaking.
 */
const requestOf = (model: string, messages: object[]) => ({
  model,
  messages: [
    ...messages.slice(0, 1),
    { role: "system", content: "SessionStart hook: success" },
    ...messages.slice(1),
  ],
  system: [
    { type: "text", text: billingHeader },
    { type: "text", text: "You are Claude Code, Anthropic's official CLI for Claude.", ...ephemeral },
    { type: "text", text: "Be concise.\n\n# Environment\nPlatform: linux", ...ephemeral },
  ],
  tools: [
    { name: longName, description: "The weather of a city.", input_schema: weather?.schema },
    { name: "look_up_time", description: "The time of a city.", input_schema: time?.schema },
    ...otherTools.map((name) => ({
      name,
      description: `${name} tool`,
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { file_path: { type: "string", description: "The absolute path" } },
        required: ["file_path"],
        additionalProperties: false,
      },
    })),
    { type: "web_search_20250305", name: "web_search", max_uses: 8 },
  ],
  metadata: {
    user_id: `user_${"0a1b2c3d".repeat(8)}_account_5e0f6c0a-2a55-4f0b-b6a0-0d4a3a8ec0de_session_7a1c7b0e-54f9-4d4c-9d0c-b1f3f9a0c0de`,
  },
  thinking: { type: "adaptive" },
  output_config: { effort: "high" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
});

async function post({ url, secret }: Target, path: string, body: object): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "x-api-key": secret,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": betas,
      "anthropic-dangerous-direct-browser-access": "true",
      "content-type": "application/json",
      "user-agent": "claude-cli/2.1.154 (external, cli)",
      "x-app": "cli",
      "x-stainless-retry-count": "0",
      "x-claude-code-session-id": "7a1c7b0e-54f9-4d4c-9d0c-b1f3f9a0c0de",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  return response;
}

async function ask(target: Target, messages: object[], isStream: boolean): Promise<Answer> {
  const body = { ...requestOf(target.model, messages), max_tokens: 4_096, ...(isStream && { stream: true }) };
  const response = await post(target, "/v1/messages?beta=true", body);
  return isStream ? readStream(response) : Answer.parse(await response.json());
}

const firstMessage = {
  role: "user",
  content: [
    { type: "text", text: "<system-reminder>\nAs you answer, be kind.\n</system-reminder>" },
    { type: "text", text: prompt },
  ],
};

async function toolLoop(target: Target, isStream: boolean): Promise<Heard> {
  const heard: Heard = { thinking: "", text: "", stopReasons: [], usage: [] };
  const messages: object[] = [firstMessage];
  for (let turn = 0; turn < 3; turn++) {
    const { content, stop_reason, usage } = await ask(target, messages, isStream);
    const cached = usage.cache_read_input_tokens;
    heard.usage.push({ input: usage.input_tokens + cached, cached, output: usage.output_tokens });
    heard.stopReasons.push(stop_reason ?? "none");
    heard.thinking ||= content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("");
    heard.text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      break;
    }
    const results = calls.map(({ id, name, input }, at) => ({
      type: "tool_result",
      tool_use_id: id,
      content: runTool(name, input),
      ...(at === calls.length - 1 && ephemeral),
    }));
    messages.push(
      { role: "assistant", content },
      {
        role: "user",
        content: [...results, { type: "text", text: "<system-reminder>Go on.</system-reminder>" }],
      },
      { role: "system", content: "PostToolUse hook: success" },
    );
  }
  return heard;
}

/** The size of the prompt, as its context meter asks for it. */
export async function countTokens(target: Target): Promise<unknown> {
  const { metadata: _, ...body } = requestOf(target.model, [firstMessage]);
  return (await post(target, "/v1/messages/count_tokens?beta=true", body)).json();
}

/** It has read a picture with a tool, and sends it as the tool's result. */
export async function showRead(target: Target, picture: Picture): Promise<string> {
  const { content } = await ask(
    target,
    [
      firstMessage,
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_01", name: "Read", input: { file_path: "/a.png" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_01", content: [imageBlock(picture)] }],
      },
    ],
    true,
  );
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

export const claudeCode: Client = {
  name: "Claude Code",
  dialect: "messages",
  asksToThink: true,
  hearsThinking: true,
  toolNames: [longName, "look_up_time"],
  stopReasons: ["tool_use", "end_turn"],
  toolLoop: (target, { isStream }) => toolLoop(target, isStream),
  show: async (target, picture) => {
    const message = { role: "user", content: [imageBlock(picture), { type: "text", text: "What is this?" }] };
    const { content } = await ask(target, [message], true);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

import Anthropic1 from "@anthropic-ai/sdk";
import type Anthropic0 from "anthropic-sdk-0";
import { loopIn, type Manner } from "./anthropic";
import { type CallTarget, type Client, prompt, tools } from "./client";

/** Longer than OpenAI allows. */
const longName = "mcp__plugin_meteorology_central-european-weather-stations__look_up_weather";

/** Each of its requests has another hash here. */
export const billingHeader =
  "x-anthropic-billing-header: cc_version=2.1.154.a1b; cc_entrypoint=cli; cch=0f3c1;";
export const betas =
  "claude-code-20250219,interleaved-thinking-2025-05-14,redact-thinking-2026-02-12,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24";

const ephemeral = { cache_control: { type: "ephemeral" } };
const otherTools =
  "Read Bash Edit Write Glob Grep Task TodoWrite WebFetch NotebookEdit BashOutput KillShell Skill".split(" ");
const [weather, time] = tools;

/** Its parameters, from public issues that contain dumps of its requests. */
const terms = {
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
};

type Param = Anthropic1.Beta.BetaMessageParam;

/** The output of its hooks follows each user message, as a system message inside `messages`. */
const withHooks = (messages: Param[]): Param[] =>
  messages.flatMap((message, at): Param[] =>
    message.role === "user"
      ? [message, { role: "system", content: `${at === 0 ? "SessionStart" : "PostToolUse"} hook: success` }]
      : [message],
  );

async function ask(client: Anthropic1, model: string, { messages, isStream }: TurnRequest) {
  const request = {
    ...terms,
    model,
    max_tokens: 4_096,
    messages: withHooks(messages),
    betas: betas.split(","),
  } as unknown as Anthropic1.Beta.MessageCreateParamsNonStreaming;
  const { beta } = client;
  return isStream ? await beta.messages.stream(request).finalMessage() : await beta.messages.create(request);
}
type TurnRequest = { messages: Param[]; isStream: boolean };

const open = ({ url, secret }: CallTarget) =>
  new Anthropic1({
    baseURL: url,
    apiKey: secret,
    maxRetries: 0,
    defaultHeaders: {
      authorization: `Bearer ${secret}`,
      "user-agent": "claude-cli/2.1.154 (external, cli)",
      "x-app": "cli",
      "x-claude-code-session-id": "7a1c7b0e-54f9-4d4c-9d0c-b1f3f9a0c0de",
    },
  });

const first = [
  { type: "text" as const, text: "<system-reminder>\nAs you answer, be kind.\n</system-reminder>" },
  { type: "text" as const, text: prompt },
];

const manner = {
  prompt: first,
  request: { max_tokens: 4_096 },
  ask: (client, { model, messages }, isStream) =>
    ask(client as unknown as Anthropic1, model, { messages: messages as Param[], isStream }),
  afterResults: [{ type: "text", text: "<system-reminder>Go on.</system-reminder>", ...ephemeral }],
} as Manner;

export const claudeCode: Client = {
  name: "Claude Code",
  dialect: "messages",
  asksToThink: true,
  hearsThinking: true,
  toolNames: [longName, "look_up_time"],
  stopReasons: ["tool_use", "end_turn"],
  toolLoop: (target, { isStream }) => loopIn(manner)(open(target) as unknown as Anthropic0, target, isStream),
};

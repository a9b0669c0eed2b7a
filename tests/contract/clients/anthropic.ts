import Anthropic1 from "@anthropic-ai/sdk";
import Anthropic0 from "anthropic-sdk-0";
import {
  type CallTarget,
  type Client,
  type ClientOutput,
  maxTokens,
  prompt,
  runTool,
  thinkingBudget,
  tools,
} from "./client";

type Counts = "input_tokens" | "cache_read_input_tokens" | "output_tokens";
function countsOf(usage: Pick<Anthropic0.Usage, Counts>) {
  const cached = usage.cache_read_input_tokens ?? 0;
  return { input: usage.input_tokens + cached, cached, output: usage.output_tokens };
}

type MessageParameters = Anthropic0.MessageCreateParamsNonStreaming;

/**
 * How a program calls: its prompt, its other parameters, the function that it calls, and its text after tool results.
 */
export type Manner = {
  prompt: Anthropic0.MessageParam["content"];
  request: Omit<MessageParameters, "model" | "messages">;
  ask: (client: Anthropic0, request: MessageParameters, isStream: boolean) => Promise<Anthropic0.Message>;
  afterResults: Anthropic0.ContentBlockParam[];
};

const thinks = {
  ...{ max_tokens: maxTokens, thinking: { type: "enabled" as const, budget_tokens: thinkingBudget } },
};
const toolSet = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));

const plain: Manner = {
  prompt,
  request: { ...thinks, system: "Use your tools.", tools: toolSet },
  ask: (client, request, isStream) =>
    isStream ? client.messages.stream(request).finalMessage() : client.messages.create(request),
  afterResults: [],
};

export const loopIn =
  (manner: Manner) =>
  async (client: Anthropic0, target: CallTarget, isStream: boolean): Promise<ClientOutput> => {
    const heard: ClientOutput = { thinking: "", text: "", stopReasons: [], usage: [] };
    const messages: Anthropic0.MessageParam[] = [{ role: "user", content: manner.prompt }];
    for (let turn = 0; turn < 3; turn++) {
      const request = { model: target.model, messages, ...manner.request };
      const message = await manner.ask(client, request, isStream);
      const results: Anthropic0.ContentBlockParam[] = [];
      for (const block of message.content) {
        if (block.type === "thinking") {
          heard.thinking ||= block.thinking;
        } else if (block.type === "text") {
          heard.text = block.text;
        } else if (block.type === "tool_use") {
          const content = runTool(block.name, block.input);
          results.push({ type: "tool_result", tool_use_id: block.id, content });
        }
      }
      heard.usage.push(countsOf(message.usage));
      heard.stopReasons.push(message.stop_reason ?? "none");
      if (results.length === 0) {
        break;
      }
      messages.push(
        { role: "assistant", content: message.content },
        { role: "user", content: [...results, ...manner.afterResults] },
      );
    }
    return heard;
  };

/**
 * The SDK's own loop. By default it asks the server to hold the conversation (beta `message-threads-2026-08-12`) and
 * sends only new messages. To a server that refuses this in its own words, it sends the whole conversation.
 */
const runnerLoop =
  (thread?: false) =>
  async (client: Anthropic0, target: CallTarget, isStream: boolean): Promise<ClientOutput> => {
    const heard: ClientOutput = { thinking: "", text: "", stopReasons: [], usage: [] };
    const request = {
      ...thinks,
      model: target.model,
      max_iterations: 3,
      ...(thread === false && { thread }),
      messages: [{ role: "user" as const, content: prompt }],
      tools: toolSet.map((tool) => ({
        ...tool,
        parse: (input: unknown) => input,
        run: (input: unknown) => runTool(tool.name, input),
      })),
    };
    const runner = client.beta.messages.toolRunner({ ...request, stream: isStream });
    for await (const step of runner) {
      const message = "finalMessage" in step ? await step.finalMessage() : step;
      for (const block of message.content) {
        heard.thinking ||= block.type === "thinking" ? block.thinking : "";
        heard.text = block.type === "text" ? block.text : heard.text;
      }
      heard.stopReasons.push(message.stop_reason ?? "none");
      heard.usage.push(countsOf(message.usage));
    }
    return heard;
  };

const adapt = (name: string, Anthropic: typeof Anthropic0, loop = loopIn(plain)): Client => {
  const open = ({ url, secret }: CallTarget) =>
    new Anthropic({ baseURL: url, apiKey: secret, maxRetries: 0 });
  return {
    name,
    ...{ dialect: "messages", asksToThink: true, hearsThinking: true },
    stopReasons: ["tool_use", "end_turn"],
    toolLoop: (target, { isStream }) => loop(open(target), target, isStream),
  };
};

// The majors differ only in types that this test does not use.
const newest = Anthropic1 as unknown as typeof Anthropic0;

export const anthropicClients = [
  adapt("@anthropic-ai/sdk 1", newest),
  adapt("@anthropic-ai/sdk 1, its runner", newest, runnerLoop(false)),
  adapt("@anthropic-ai/sdk 0", Anthropic0),
];

/** The runner with its default settings. */
export const threadedRunner = adapt("@anthropic-ai/sdk 1, its runner with a thread", newest, runnerLoop());

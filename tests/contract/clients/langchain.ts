import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import {
  type Client,
  dataUrl,
  type Heard,
  maxTokens,
  prompt,
  runTool,
  type Target,
  thinkingBudget,
  tools,
} from "./client";

// A developer's own settings must not send these conversations to LangSmith.
for (const name of [
  "LANGSMITH_TRACING",
  "LANGSMITH_TRACING_V2",
  "LANGCHAIN_TRACING",
  "LANGCHAIN_TRACING_V2",
]) {
  process.env[name] = "false";
}

// Its validator writes into the schema.
const runnable = tools.map(({ name, description, schema }) =>
  tool((input: unknown) => runTool(name, input), { name, description, schema: structuredClone(schema) }),
);

const Block = z.looseObject({ type: z.string(), thinking: z.string().optional() });
const Reasoned = z.looseObject({ reasoning_content: z.string().optional() });

/** Where each integration leaves it: with the vendor's extra fields, or among the content. */
function thinkingOf({ content, additional_kwargs }: AIMessage | AIMessageChunk): string {
  const blocks = Array.isArray(content) ? content.map((block) => Block.parse(block)) : [];
  return (
    blocks.map(({ thinking }) => thinking ?? "").join("") ||
    (Reasoned.parse(additional_kwargs).reasoning_content ?? "")
  );
}

type Bound =
  | ReturnType<ReturnType<typeof openChat>["bindTools"]>
  | ReturnType<ReturnType<typeof openMessages>["bindTools"]>;

async function ask(model: Bound, messages: Parameters<BaseChatModel["invoke"]>[0], isStream: boolean) {
  if (!isStream) {
    return model.invoke(messages);
  }
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  if (!whole) {
    throw new Error("the stream was empty");
  }
  return whole;
}

async function toolLoop(model: Bound, stopKey: string, isStream: boolean): Promise<Heard> {
  const heard: Heard = { thinking: "", text: "", stopReasons: [], usage: [] };
  const messages: (SystemMessage | HumanMessage | AIMessage | ToolMessage)[] = [
    new SystemMessage("Use your tools."),
    new HumanMessage(prompt),
  ];
  for (let turn = 0; turn < 3; turn++) {
    const answer = await ask(model, messages, isStream);
    heard.thinking ||= thinkingOf(answer);
    heard.text = answer.text;
    heard.stopReasons.push(String({ ...answer.response_metadata, ...answer.additional_kwargs }[stopKey]));
    heard.usage.push({
      input: answer.usage_metadata?.input_tokens ?? 0,
      cached: answer.usage_metadata?.input_token_details?.cache_read ?? 0,
      output: answer.usage_metadata?.output_tokens ?? 0,
    });
    if (!answer.tool_calls?.length) {
      break;
    }
    messages.push(answer);
    for (const call of answer.tool_calls) {
      const own = runnable.find(({ name }) => name === call.name);
      messages.push(
        own
          ? await own.invoke(call)
          : new ToolMessage({ content: "no such tool", tool_call_id: call.id ?? "" }),
      );
    }
  }
  return heard;
}

const openChat = ({ url, secret, model }: Target) =>
  new ChatOpenAI({
    model,

    apiKey: secret,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });

const openMessages = ({ url, secret, model }: Target) =>
  new ChatAnthropic({
    model,
    apiKey: secret,
    maxRetries: 0,
    maxTokens,
    thinking: { type: "enabled", budget_tokens: thinkingBudget },
    anthropicApiUrl: url,
  });

async function show(model: ReturnType<typeof openChat> | ReturnType<typeof openMessages>, url: string) {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ];
  return (await model.invoke([new HumanMessage({ content })])).text;
}

export const langchainClients: Client[] = [
  {
    name: "LangChain, ChatOpenAI",
    dialect: "chat",
    // It does for the models that it knows as reasoning ones.
    asksToThink: false,
    hearsThinking: true,
    stopReasons: ["tool_calls", "stop"],
    toolLoop: (target, { isStream }) =>
      toolLoop(openChat(target).bindTools(runnable), "finish_reason", isStream),
    show: (target, picture) => show(openChat(target), dataUrl(picture)),
  },
  {
    name: "LangChain, ChatAnthropic",
    miscountsStreams: true,
    dialect: "messages",
    asksToThink: true,
    hearsThinking: true,
    stopReasons: ["tool_use", "end_turn"],
    toolLoop: (target, { isStream }) =>
      toolLoop(openMessages(target).bindTools(runnable), "stop_reason", isStream),
    show: (target, picture) => show(openMessages(target), dataUrl(picture)),
  },
];

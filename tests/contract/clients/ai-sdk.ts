import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from "ai";
import { type CallTarget, type Client, maxTokens, prompt, runTool, thinkingBudget, tools } from "./client";

type SdkVendor = Pick<Client, "name" | "dialect" | "hearsThinking"> & {
  model: (target: CallTarget) => LanguageModel;
};

const toolSet = Object.fromEntries(
  tools.map(({ name, description, schema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(schema), execute: async (input) => runTool(name, input) }),
  ]),
);

const settings = {
  maxRetries: 0,
  maxOutputTokens: maxTokens,
  system: "Use your tools.",
  tools: toolSet,
  stopWhen: isStepCount(3),
  providerOptions: {
    anthropic: { thinking: { type: "enabled", budgetTokens: thinkingBudget } },
    openai: { reasoningEffort: "medium" },
    gateway: { reasoningEffort: "medium" },
  },
};

/** The SDK's own loop: it runs the tools and sends the next request itself. */
async function runSteps(model: LanguageModel, isStream: boolean) {
  const request = { ...settings, model, prompt };
  if (!isStream) {
    return (await generateText(request)).steps;
  }
  const errors: unknown[] = [];
  const result = streamText({ ...request, onError: ({ error }) => void errors.push(error) });
  await result.consumeStream();
  if (errors.length > 0) {
    throw errors[0];
  }
  return result.steps;
}

const adapt = ({ model, ...vendor }: SdkVendor): Client => ({
  ...vendor,
  asksToThink: true,
  stopReasons: ["tool-calls", "stop"],
  toolLoop: async (target, { isStream }) => {
    const steps = await runSteps(model(target), isStream);
    return {
      thinking: steps[0]?.reasoningText ?? "",
      text: steps.at(-1)?.text ?? "",
      stopReasons: steps.map((step) => step.finishReason),
      usage: steps.map(({ usage }) => ({
        input: usage.inputTokens ?? 0,
        cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
        output: usage.outputTokens ?? 0,
      })),
    };
  },
});

const connect = ({ url, secret }: CallTarget) => ({ baseURL: `${url}/v1`, apiKey: secret });

export const aiSdkClients = [
  adapt({
    name: "AI SDK, openai",
    dialect: "chat",
    hearsThinking: false,
    model: (target) => createOpenAI(connect(target)).chat(target.model),
  }),
  adapt({
    name: "AI SDK, openai-compatible",
    dialect: "chat",
    hearsThinking: true,
    model: (target) =>
      createOpenAICompatible({ ...connect(target), name: "gateway", includeUsage: true })(target.model),
  }),
  adapt({
    name: "AI SDK, anthropic",
    dialect: "messages",
    hearsThinking: true,
    model: (target) => createAnthropic(connect(target))(target.model),
  }),
];

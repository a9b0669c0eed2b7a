import { type Program, scriptEnv } from "../program";

const script = `
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
const { BASE_URL, KEY, MODEL, PROMPT, DIALECT } = process.env;
const openai = createOpenAI({ baseURL: BASE_URL, apiKey: KEY });
const look = tool({
  description: "Multiplies",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => String(command.match(/\\d+/g).reduce((one, other) => one * other)),
});
const result = streamText({
  model: DIALECT === "chat" ? openai.chat(MODEL) : openai(MODEL),
  prompt: PROMPT,
  providerOptions: { openai: { reasoningEffort: "high", forceReasoning: true } },
  tools: { look },
  stopWhen: stepCountIs(5),
  onError: () => {},
});
for await (const part of result.fullStream) {
  if (part.type === "text-delta") process.stdout.write(part.text);
  if (part.type === "error") {
    console.error(part.error.name + ": " + part.error.message);
    process.exitCode = 1;
  }
}
`;

const aiSdk = (program: Pick<Program, "id" | "title" | "dialect">): Program => ({
  ...program,
  version: "7.0.173",
  npm: ["ai@7.0.173", "@ai-sdk/openai@4.0.118", "zod@4.6.7"],
  files: () => ({ "work/ai-sdk.mjs": script }),
  command: () => ["node", "ai-sdk.mjs"],
  env: (task) => ({ ...scriptEnv(task), DIALECT: program.dialect }),
});

export const aiSdks = [
  aiSdk({ id: "ai-sdk", title: "AI SDK, default OpenAI provider", dialect: "responses" }),
  aiSdk({ id: "ai-sdk-chat", title: "AI SDK, OpenAI's chat models", dialect: "chat" }),
];

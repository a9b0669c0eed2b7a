import { type Program, scriptEnv } from "../program";

const script = `
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
const { BASE_URL, KEY, MODEL, PROMPT } = process.env;
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: BASE_URL, apiKey: KEY }));
const look = tool({
  name: "look",
  description: "Multiplies",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => String(command.match(/\\d+/g).reduce((one, other) => one * other)),
});
const agent = new Agent({ name: "Multiplier", model: MODEL, tools: [look] });
try {
  const stream = await run(agent, PROMPT, { stream: true });
  for await (const text of stream.toTextStream()) process.stdout.write(text);
  await stream.completed;
} catch (error) {
  console.error(error.name + ": " + error.message);
  process.exitCode = 1;
}
`;

export const agents: Program = {
  id: "agents",
  title: "OpenAI Agents SDK (JS)",
  version: "0.20.0",
  dialect: "responses",
  npm: ["@openai/agents@0.20.0", "openai@7.59.0", "zod@4.6.7"],
  files: () => ({ "work/agents.mjs": script }),
  command: () => ["node", "agents.mjs"],
  env: scriptEnv,
};

import { type Program, scriptEnv } from "../program";
import { python } from "./python";

const script = `
import { createAgent, tool } from "langchain";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
const { BASE_URL, KEY, MODEL, PROMPT } = process.env;
const look = tool(async ({ command }) => String(command.match(/\\d+/g).reduce((one, other) => one * other)), {
  name: "look",
  description: "Multiplies",
  schema: z.object({ command: z.string() }),
});
const model = new ChatOpenAI({ model: MODEL, apiKey: KEY, configuration: { baseURL: BASE_URL }, streaming: true });
const agent = createAgent({ model, tools: [look] });
try {
  const stream = await agent.stream({ messages: [{ role: "user", content: PROMPT }] }, { streamMode: "messages" });
  for await (const [message] of stream) {
    if (message.getType() === "ai") process.stdout.write(message.text);
  }
} catch (error) {
  console.error(error.name + ": " + error.message);
  process.exitCode = 1;
}
`;

export const langchains: Program[] = [
  {
    id: "langchain-js",
    title: "LangChain (JS)",
    version: "1.5.14",
    dialect: "chat",
    npm: ["langchain@1.5.14", "@langchain/openai@1.6.0", "@langchain/core@1.4.0", "zod@4.6.7"],
    files: () => ({ "work/langchain.mjs": script }),
    command: () => ["node", "langchain.mjs"],
    env: scriptEnv,
  },
  python({
    id: "langchain-py",
    title: "LangChain (Python)",
    version: "1.5.2",
    dialect: "chat",
    // The newest core needs a package that some mirrors do not have yet.
    pypi: ["langchain==1.5.2", "langchain-core==1.8.3", "langchain-openai==1.7.4"],
    script: "langchain_agent",
  }),
];

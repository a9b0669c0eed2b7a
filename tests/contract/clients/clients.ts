import { aiSdkClients } from "./ai-sdk";
import { anthropicClients } from "./anthropic";
import { claudeCode } from "./claude-code";
import type { Client } from "./client";
import { openaiClients } from "./openai";

/** Every conversational client that the tables of tests run. */
export const clients: Client[] = [...openaiClients, ...anthropicClients, ...aiSdkClients, claudeCode];

import { aiSdkClients } from "./ai-sdk";
import { anthropicClients } from "./anthropic";
import { claudeCode } from "./claude-code";
import type { Client } from "./client";
import { openaiClients } from "./openai";

/** All conversational clients of the table tests. */
export const clients: Client[] = [...openaiClients, ...anthropicClients, ...aiSdkClients, claudeCode];

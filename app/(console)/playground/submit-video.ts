import { z } from "zod";
import { callGateway } from "./call";

const Answer = z.looseObject({ id: z.string() });

type VideoSubmission = {
  model: string;
  prompt: string;
  duration: number;
  resolution: string;
  aspectRatio?: string;
};

/** Submits a task and returns its id. Throws CallFailed. */
export async function submitVideo({ aspectRatio, ...order }: VideoSubmission): Promise<string> {
  const body = { ...order, ...(aspectRatio && { aspect_ratio: aspectRatio }) };
  const response = await callGateway({ path: "videos/generations", body });
  return Answer.parse(await response.json()).id;
}

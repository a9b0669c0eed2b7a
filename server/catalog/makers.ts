/** How the names of a maker's models begin, and the owner that these models have. A model may be sold by any host. */
const makers: [owner: string, names: RegExp][] = [
  ["openai", /^(?:gpt|chatgpt|o\d|codex|dall-e|whisper|tts|sora|text-embedding-(?:3|ada))(?:-|$)/i],
  ["anthropic", /^claude-/i],
  ["gemini", /^(?:gemini|gemma|imagen|veo)-/i],
  [
    "mistral",
    /^(?:open-|labs-)?(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)(?:-|$)/i,
  ],
  ["xai", /^grok-/i],
  ["deepseek", /^deepseek-/i],
  ["moonshot", /^(?:kimi|moonshot)-/i],
  ["zhipu", /^(?:glm|cogview|cogvideox?)-/i],
  ["dashscope", /^(?:(?:qwen|qwq|qvq|wan)[\d.-]|text-embedding-v\d)/i],
];

/**
 * The maker whose models have such names, also if a name of the operator's or a router's stands before a slash.
 * undefined: no maker that we know.
 */
export function ownerOfModel(id: string): string | undefined {
  const name = id.slice(id.lastIndexOf("/") + 1);
  return makers.find(([, names]) => names.test(name))?.[0];
}

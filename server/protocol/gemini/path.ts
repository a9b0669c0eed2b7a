/** What a model is called with, below the base URL: the address names it, and whether a stream is wanted. */
export function geminiPath(model: string, isStream: boolean): string {
  const name = model.split("/").map(encodeURIComponent).join("/");
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/${/^(?:models|tunedModels|publishers)\//.test(name) ? name : `models/${name}`}:${verb}`;
}

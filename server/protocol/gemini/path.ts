/** The path of a call below the base URL: it names the model, and whether the answer is a stream. */
export function geminiPath(model: string, isStream: boolean): string {
  const name = model.split("/").map(encodeURIComponent).join("/");
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/${/^(?:models|tunedModels|publishers)\//.test(name) ? name : `models/${name}`}:${verb}`;
}

/**
 * Token estimates by character class, in one pass and without keeping text: they freeze money before a call and stand
 * in when an upstream reports no usage. Not a tokenizer on purpose (docs/decisions/0004).
 */

import { type Fields, isFields, objects } from "./fields";

/** Tokens in a text, as a fraction, so that pieces of a stream can be added up. */
export function countTokens(text: string): number {
  let letters = 0;
  let digits = 0;
  let marks = 0;
  let wide = 0;
  let spaces = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x2e80) {
      wide++;
    } else if ((code | 32) >= 97 && (code | 32) <= 122) {
      letters++;
    } else if (code >= 48 && code <= 57) {
      digits++;
    } else if (code === 32) {
      // One belongs to the word that follows; long runs of them are a token now and then.
      spaces++;
    } else if (code < 128) {
      marks++;
    } else {
      letters += 2;
    }
  }
  return letters / 4.2 + digits / 2.5 + marks / 1.6 + wide / 1.3 + spaces / 40;
}

/** A picture, by the size that vendors bill a large one; never its base64 text. */
const IMAGE_TOKENS = 1_600;
/** Base64 characters of sound or of a document that make one token, roughly. */
const MEDIA_CHARACTERS_PER_TOKEN = 100;

function countContent(content: unknown): number {
  if (typeof content === "string") {
    return countTokens(content);
  }
  if (Array.isArray(content)) {
    return content.reduce<number>((sum, part) => sum + countPart(part), 0);
  }
  return 0;
}

function countPart(part: unknown): number {
  if (!isFields(part)) {
    return typeof part === "string" ? countTokens(part) : 0;
  }
  if (typeof part.text === "string") {
    return countTokens(part.text);
  }
  if (part.type === "image_url" || part.type === "image") {
    return IMAGE_TOKENS;
  }
  if (part.type === "tool_result") {
    return countContent(part.content);
  }
  if (part.type === "tool_use") {
    return countTokens(String(part.name)) + countTokens(JSON.stringify(part.input ?? {}));
  }
  if (typeof part.thinking === "string") {
    return countTokens(part.thinking);
  }
  const source = isFields(part.source) ? part.source : {};
  if (source.type === "text" && typeof source.data === "string") {
    return countTokens(source.data);
  }
  return JSON.stringify(part).length / MEDIA_CHARACTERS_PER_TOKEN;
}

/** Input tokens of a chat or messages request: system prompt, messages and their overhead, tool definitions. */
export function estimateInput(request: Fields): number {
  let tokens = 3 + countContent(request.system);
  for (const message of objects(request.messages)) {
    const { content, role: _role, ...rest } = message;
    const extra = Object.keys(rest).length > 0 ? countTokens(JSON.stringify(rest)) : 0;
    tokens += 4 + countContent(content) + extra;
  }
  for (const field of ["tools", "functions", "response_format", "output_config"]) {
    tokens += request[field] ? countTokens(JSON.stringify(request[field])) : 0;
  }
  return Math.ceil(tokens);
}

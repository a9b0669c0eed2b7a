/** Whether an answer to a client matches its description in `/openapi.json`. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { answers } from "@/server/reference/components";
import type { ClientDialect, WrittenAnswer } from "./written";

/**
 * `quick` stops at the first fault; `thorough` finds all of them for the message, which takes several times as long.
 */
const options = { strict: false, validateFormats: false };
const quick = new Ajv2020(options);
const thorough = new Ajv2020({ ...options, allErrors: true });

/** The schemas of each client's answers, whole and by events. */
const documented: Record<ClientDialect, { whole: string; event: string }> = {
  chat: { whole: "ChatCompletion", event: "ChatChunk" },
  messages: { whole: "Message", event: "MessageEvent" },
  responses: { whole: "Response", event: "ResponseEvent" },
  gemini: { whole: "GeminiAnswer", event: "GeminiEvent" },
  completions: { whole: "TextCompletion", event: "TextChunk" },
};

function answerOf(name: string): object {
  const schema = answers[name];
  if (!schema) {
    throw new Error(`the reference has no answer ${name}`);
  }
  return schema;
}

const compiled = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  const validator = compiled.get(name) ?? quick.compile(answerOf(name));
  compiled.set(name, validator);
  return validator;
}

/** The faults of one object, "" for none. */
function faultIn(name: string, value: unknown): string {
  if (validatorOf(name)(value)) {
    return "";
  }
  const validate = thorough.compile(answerOf(name));
  validate(value);
  const errors = (validate.errors ?? []).filter(({ keyword }) => !["anyOf", "not"].includes(keyword));
  const words = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  return `${name}: ${[...new Set(words)].join("; ").slice(0, 600)} in ${JSON.stringify(value).slice(0, 600)}`;
}

export function faultsOf(client: ClientDialect, written: WrittenAnswer): string[] {
  const { whole, event } = documented[client];
  if (written.kind === "refused") {
    return [];
  }
  const faults =
    written.kind === "whole"
      ? [faultIn(whole, written.body)]
      : written.datas.map((data) => faultIn(event, JSON.parse(data)));
  return faults.filter((fault) => fault !== "");
}

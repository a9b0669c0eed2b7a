import pino, { type Logger } from "pino";

export type Log = Logger;

/** Structured log on stdout. Secrets are redacted by path; bodies are never passed to it. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: undefined,
      redact: ["authorization", "*.authorization", "secret", "*.secret", "password", "*.password"],
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Lines are collected: one write a request was a tenth of the time of a request.
    pino.destination({ fd: 1, sync: false, minLength: 4096 }),
  );
}

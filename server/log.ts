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
    // Lines are collected for a moment: a write each was a fifth of a call's processor time, and so was handing the
    // write to another thread.
    pino.destination({ fd: 1, sync: true, minLength: 8_192, periodicFlush: 250 }),
  );
}

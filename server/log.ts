import pino, { type Logger, stdSerializers } from "pino";

export type Log = Logger;

/** Drizzle's error has the query's parameters in its words: the hash of a password, say. */
function isFailedQuery(error: Error): error is Error & { query: string } {
  return "params" in error && "query" in error;
}

/** An error as it is logged. Of a failed query: its text and what PostgreSQL said, never its parameters. */
export function describeError(error: unknown): unknown {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (isFailedQuery(link)) {
      const said = link.cause instanceof Error ? stdSerializers.err(link.cause) : {};
      return { ...said, query: link.query };
    }
  }
  return error instanceof Error ? stdSerializers.err(error) : error;
}

/** Structured log on stdout. Secrets are redacted by path; bodies are never passed to it. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: undefined,
      redact: ["authorization", "*.authorization", "secret", "*.secret", "password", "*.password"],
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Lines are collected for a moment: a write each was a fifth of a call's processor time, and so was handing the
    // write to another thread.
    pino.destination({ fd: 1, sync: true, minLength: 8_192, periodicFlush: 250 }),
  );
}

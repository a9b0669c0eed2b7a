import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Questions of the bench to a server that it started, and the server's messages. */
export type BenchQuestion = "looks" | "finish";

type Answers = Partial<Record<BenchQuestion, () => Promise<unknown>>>;

export type ServerMessage = { port: number } | { answer: unknown };

export async function serveFree(server: Server): Promise<void> {
  server.listen({ port: 0, host: "127.0.0.1", backlog: 2_048 });
  await once(server, "listening");
  serveBench((server.address() as AddressInfo).port, {});
}

/** Tells the bench the port, answers its questions, and ends when the bench does. */
export function serveBench(port: number, answers: Answers): void {
  const tell = (message: ServerMessage) => void process.send?.(message);
  process.on("message", (question: BenchQuestion) => {
    const answer =
      answers[question] ?? (() => Promise.reject(new Error(`not a question for me: ${question}`)));
    answer().then(
      (value) => tell({ answer: value }),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
  tell({ port });
}

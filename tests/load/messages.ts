/** What the bench asks of a server that it started, and what it is told. */
export type Question = "looks" | "finish";

/** What a server can be asked, and its answers. */
type Answers = Partial<Record<Question, () => Promise<unknown>>>;

export type Told = { port: number } | { answer: unknown };

/** Tells the bench where to connect, answers its questions, and ends when the bench does. */
export function serveBench(port: number, answers: Answers): void {
  const tell = (told: Told) => void process.send?.(told);
  process.on("message", (question: Question) => {
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

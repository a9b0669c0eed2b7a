import { atOnce } from "@/server/base/turns";
import { promptOf } from "@/server/pricing";
import { openEnvelope } from "@/server/protocol/answers/envelope";
import { readEventData } from "@/server/protocol/answers/sse";
import { readEmbeddings } from "@/server/protocol/embeddings/answer";
import { parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { describeErrorBody, readUpstreamError } from "@/server/protocol/upstream-error";
import type { AnswerStream, CountedUsage } from "@/server/protocol/upstream-plan";

type Judged = {
  ok: boolean;
  message: string;
  usage: { inputTokens: number; outputTokens: number } | null;
};

const MAX_QUOTED_CHARACTERS = 500;

const bad = (message: string): Judged => ({ ok: false, message, usage: null });

function parseJson(text: string): unknown {
  try {
    return openEnvelope(JSON.parse(text));
  } catch {
    // Not JSON, so not of the dialect; the parse error adds nothing.
    return undefined;
  }
}

/** The result for a 2xx text that is not the expected answer: an error, or something else, such as a web page. */
const not = (expected: "an answer" | "a stream", text: string): Judged => {
  const words = readUpstreamError(parseJson(text));
  const description = describeErrorBody(text).slice(0, MAX_QUOTED_CHARACTERS);
  return bad(words?.message ?? `not ${expected} of its dialect: ${description}`);
};

function worth({ usage, source }: CountedUsage): Judged {
  const inputTokens = promptOf(usage);
  return {
    ok: true,
    message: "ok",
    usage: source === "upstream" ? { inputTokens, outputTokens: usage.outputTokens } : null,
  };
}

/** Judges a 2xx answer (`text`) to a test call (`body`) for embeddings. */
export function judgeEmbeddings({ body, text }: { body: string; text: string }): Judged {
  const answer = parseJson(text);
  const counted = readUpstreamError(answer)
    ? null
    : atOnce(readEmbeddings(answer, parseEmbeddingsRequest(body)));
  return counted === null ? not("an answer", text) : worth(counted);
}

/** Judges a 2xx answer (`text`) to a test call for a stream, with the reader that clients' calls use. */
export async function judgeStream(stream: AnswerStream, text: string): Promise<Judged> {
  // A whole answer in one line reads like the only event of a stream.
  if (parseJson(text) !== undefined) {
    return not("a stream", text);
  }
  const body = async function* () {
    yield Buffer.from(text);
  };
  let isOver = false;
  for await (const { events } of readEventData(body())) {
    for (const data of events) {
      if (isOver) {
        break;
      }
      const step = stream.push(data);
      if (step.kind === "error") {
        return bad(step.words.message);
      }
      if (step.kind === "malformed") {
        return not("a stream", data);
      }
      isOver = step.kind === "done";
    }
  }
  if (!stream.isStarted) {
    return not("a stream", text);
  }
  return isOver || stream.isFinished
    ? worth(stream.settled(true))
    : bad("the stream ended without a finish reason");
}

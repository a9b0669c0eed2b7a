import { findGeminiFault, GeminiRequest, signThought } from "./gemini-rules";
import { pieces, type ScriptedTurn } from "./scripted-turn";
import { sendJson, type UpstreamHandler } from "./upstream";

const usageMetadata = {
  promptTokenCount: 120,
  candidatesTokenCount: 29,
  thoughtsTokenCount: 12,
  totalTokenCount: 161,
};

type GeminiPart = Record<string, unknown>;

/** The parts of a turn, piece by piece. Calls are not split, and the first one has the signature of the thinking. */
function sayInParts({ thinking, text, calls }: ScriptedTurn, request: GeminiRequest): GeminiPart[] {
  const { tools, generationConfig, contents } = request;
  const names = (tools ?? []).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  const isShown = generationConfig?.thinkingConfig?.includeThoughts === true;
  const thoughtSignature = signThought(thinking ?? "");
  const called = (calls ?? []).map(({ tool, arguments: args }, index) => ({
    functionCall: { id: `call-${contents.length}-${index}`, name: names[tool], args },
    ...(index === 0 && { thoughtSignature }),
  }));
  return [
    ...(isShown ? pieces(thinking ?? "").map((piece) => ({ text: piece, thought: true })) : []),
    ...pieces(text ?? "").map((piece) => ({ text: piece })),
    ...called,
    ...(thinking && called.length === 0 ? [{ text: "", thoughtSignature }] : []),
  ];
}

/**
 * Answers the vendor's turns, and refuses with 400 all that Google would refuse. It answers a conversation that
 * contains n answers with turn n.
 */
export function speakGemini({ turns }: { turns: ScriptedTurn[] }): UpstreamHandler {
  return (call, response) => {
    const fault = findGeminiFault(
      call,
      turns.map(({ thinking = "" }) => thinking),
    );
    if (fault !== null) {
      sendJson(response, 400, { error: { code: 400, message: fault, status: "INVALID_ARGUMENT" } });
      return;
    }
    const request = GeminiRequest.parse(call.body);
    const turn = request.contents.filter(({ role }) => role === "model").length;
    const parts = sayInParts(turns[turn] ?? {}, request);
    const answer = (content: GeminiPart[], rest: object) => ({
      candidates: [{ content: { role: "model", parts: content }, index: 0, ...rest }],
      usageMetadata,
      modelVersion: "gemini-upstream",
      responseId: `r${turn}`,
    });
    const end = { finishReason: "STOP" };
    if (!call.path.includes(":stream")) {
      sendJson(response, 200, answer(parts, end));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [at, part] of parts.entries()) {
      const piece = answer([part], at === parts.length - 1 ? end : {});
      response.write(`data: ${JSON.stringify(piece)}\r\n\r\n`);
    }
    response.end();
  };
}

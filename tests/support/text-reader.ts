/** A client that reads an answer piece by piece. */
export type TextReader = {
  /** All that has come once the word has come so often, or the answer has ended. */
  until: (word: string, times?: number) => Promise<string>;
  /** The whole answer. */
  rest: () => Promise<string>;
  /** Hangs up. */
  leave: () => Promise<void>;
};

export function textReader(response: Response): TextReader {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const readWhile = async (isWaiting: () => boolean) => {
    while (isWaiting()) {
      const next = await reader?.read();
      if (!next || next.done) {
        break;
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text;
  };
  return {
    until: (word, times = 1) => readWhile(() => text.split(word).length <= times),
    rest: () => readWhile(() => true),
    leave: async () => reader?.cancel(),
  };
}

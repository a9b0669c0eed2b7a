/** `fetch` for clients that read the same answer: the first one makes the call, and the others get its bytes. */
export type Taped = {
  fetch: typeof fetch;
  /** Returns the answer again. Throws if there was no call. */
  again: () => Promise<Response>;
};

export function createTaped(): Taped {
  let taped: { init: ResponseInit; body: Promise<ArrayBuffer> } | null = null;
  const again = async (): Promise<Response> => {
    if (taped === null) {
      throw new Error("nothing has been asked yet");
    }
    return new Response(await taped.body, taped.init);
  };
  return {
    again,
    fetch: async (input, init) => {
      if (taped !== null) {
        return await again();
      }
      // Without the client's signal: a client that has read enough must not end the answer for the others.
      const live = await fetch(input, { ...init, signal: null });
      const { status, headers } = live;
      taped = { init: { status, headers }, body: live.clone().arrayBuffer() };
      return live;
    },
  };
}

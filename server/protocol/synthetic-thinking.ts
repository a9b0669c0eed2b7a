/**
 * The signature on thinking that no messages-dialect vendor signed. It is never empty, because clients hand thinking
 * back only with a signature (AI SDK, claude-code-router), and thinking models in the chat dialect (DeepSeek, Kimi)
 * want it back. No vendor would accept it, so it never reaches one.
 */
export const SYNTHETIC_SIGNATURE = "tollgate.unsigned.1";

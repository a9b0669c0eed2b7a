/**
 * The terms by which upstreams name errors. A vendor's words may quote the prompt, a key or an address, so the log has
 * only these terms of them.
 */
const terms = [
  ...[
    "access",
    "account",
    "active",
    "allowed",
    "api",
    "arrears",
    "authentication",
    "authorization",
    "available",
  ],
  ...[
    "bad",
    "balance",
    "billing",
    "blocked",
    "busy",
    "cancelled",
    "capacity",
    "closed",
    "concurrency",
    "concurrent",
  ],
  ...[
    "connection",
    "content",
    "context",
    "credential",
    "credentials",
    "credits",
    "daily",
    "day",
    "deactivated",
  ],
  ...[
    "deadline",
    "denied",
    "deployment",
    "deprecated",
    "dialect",
    "disabled",
    "ended",
    "event",
    "exceed",
    "exceeded",
    "exceeds",
  ],
  ...[
    "exhausted",
    "exist",
    "expired",
    "fail",
    "failed",
    "failure",
    "filter",
    "filtered",
    "forbidden",
    "found",
  ],
  ...[
    "free",
    "gateway",
    "header",
    "high",
    "hour",
    "image",
    "images",
    "input",
    "insufficient",
    "internal",
    "invalid",
  ],
  ...["key", "length", "limit", "limited", "limits", "load", "long", "maintenance", "malformed", "maximum"],
  ...[
    "minute",
    "missing",
    "model",
    "moderation",
    "monthly",
    "no",
    "not",
    "organization",
    "output",
    "overdue",
  ],
  ...["overload", "overloaded", "parameter", "payment", "per", "permission", "permissions", "plan", "policy"],
  ...[
    "project",
    "prompt",
    "provider",
    "quota",
    "rate",
    "reached",
    "region",
    "rejected",
    "request",
    "requests",
  ],
  ...["required", "resource", "retry", "safety", "schema", "server", "service", "size", "spending", "stream"],
  ...[
    "supported",
    "suspended",
    "temporarily",
    "throttled",
    "throttling",
    "tier",
    "timed",
    "timeout",
    "token",
  ],
  ...[
    "tokens",
    "too",
    "many",
    "large",
    "tool",
    "tools",
    "unauthorized",
    "unavailable",
    "unexpected",
    "unknown",
  ],
  ...["unsupported", "upstream", "usage", "valid", "violation"],
];
const chinese = [
  ...[
    "余额",
    "不足",
    "欠费",
    "限流",
    "频率",
    "超限",
    "超出",
    "超过",
    "过高",
    "上限",
    "限制",
    "配额",
    "额度",
    "并发",
  ],
  ...[
    "请求",
    "过多",
    "鉴权",
    "认证",
    "失败",
    "无效",
    "无权",
    "权限",
    "模型",
    "不存在",
    "参数",
    "错误",
    "敏感",
    "违规",
  ],
  ...[
    "内容",
    "服务",
    "繁忙",
    "不可用",
    "内部",
    "超时",
    "稍后",
    "重试",
    "账号",
    "账户",
    "密钥",
    "过期",
    "停用",
    "下线",
  ],
];

const TERM = new RegExp(`\\b(?:${terms.join("|")})\\b|${chinese.join("|")}`, "gi");
const MAX_CHARACTERS = 200;

/**
 * Reduces an upstream's words to the terms of errors among them, in order, so that they quote nothing. "": there is
 * none.
 */
export function errorKeywords(words: string): string {
  const text = words.replaceAll("_", " ");
  let gist = "";
  let end = 0;
  for (const { 0: term, index } of text.matchAll(TERM)) {
    const isNext = gist !== "" && /^[\s,.:;-]*$/.test(text.slice(end, index));
    gist += `${isNext ? text.slice(end, index).replace(/\s+/g, " ") : "…"}${term}`;
    end = index + term.length;
  }
  const rest = gist === "" || /^[\s.]*$/.test(text.slice(end)) ? "" : "…";
  return `${gist}${rest}`.slice(0, MAX_CHARACTERS);
}

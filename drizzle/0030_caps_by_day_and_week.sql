ALTER TABLE "accounts" ADD COLUMN "daily_limit" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "daily_cap" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "weekly_cap" bigint;--> statement-breakpoint
ALTER TABLE "account_months" ADD COLUMN "week_has_gone_on" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "spend_hours" ADD COLUMN "cached_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "spend_hours" ADD COLUMN "cached_of_tokens" bigint DEFAULT 0 NOT NULL;
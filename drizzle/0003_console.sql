CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"user_id" text,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"account_id" text,
	"target_id" text NOT NULL,
	"target_name" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"address" text
);
--> statement-breakpoint
CREATE TABLE "key_months" (
	"key_id" text NOT NULL,
	"period" text NOT NULL,
	"used" bigint NOT NULL,
	"frozen" bigint NOT NULL,
	CONSTRAINT "key_months_key_id_period_pk" PRIMARY KEY("key_id","period")
);
--> statement-breakpoint
CREATE TABLE "spend_hours" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"key_id" text NOT NULL,
	"model_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	CONSTRAINT "spend_hours_account_id_period_hour_key_id_model_id_pk" PRIMARY KEY("account_id","period","hour","key_id","model_id")
);
--> statement-breakpoint
CREATE TABLE "calls" (
	"request_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"key_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"model_id" text,
	"channel_id" text,
	"task_id" text,
	"status" integer NOT NULL,
	"error" text,
	"is_stream" boolean DEFAULT false NOT NULL,
	"first_token_ms" integer,
	"elapsed_ms" integer NOT NULL,
	"address" text,
	"started_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "api_keys_account";--> statement-breakpoint
DROP INDEX "video_tasks_account";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "models" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "monthly_cap" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "is_console" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_address" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_secret" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_enabled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_last_step" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "recovery_codes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "account_months" ADD COLUMN "counts_keys" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "key_id" text;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "credential_hints" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_entries_account" ON "audit_entries" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_target" ON "audit_entries" USING btree ("target_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "audit_entries" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "ledger_entries_others" ON "ledger_entries" USING btree ("account_id","period","kind","id") WHERE kind <> 'capture';--> statement-breakpoint
CREATE INDEX "spend_hours_key" ON "spend_hours" USING btree ("key_id","period");--> statement-breakpoint
CREATE INDEX "spend_hours_period" ON "spend_hours" USING btree ("period","hour");--> statement-breakpoint
CREATE INDEX "calls_account" ON "calls" USING btree ("account_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_key" ON "calls" USING btree ("key_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_account_model" ON "calls" USING btree ("account_id","model_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_model" ON "calls" USING btree ("model_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_account_failed" ON "calls" USING btree ("account_id","request_id") WHERE error is not null;--> statement-breakpoint
CREATE INDEX "calls_failed" ON "calls" USING btree ("request_id") WHERE error is not null;--> statement-breakpoint
CREATE INDEX "video_tasks_recent" ON "video_tasks" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_console" ON "api_keys" USING btree ("account_id") WHERE is_console;--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "video_tasks_account" ON "video_tasks" USING btree ("account_id","created_at","id");--> statement-breakpoint
INSERT INTO "spend_hours" (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
SELECT account_id, period, date_trunc('hour', created_at, 'UTC'), coalesce(key_id, ''), coalesce(model_id, ''), count(*), sum(amount),
	coalesce(sum(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0) + coalesce(cache_write_1h_tokens, 0)), 0),
	coalesce(sum(output_tokens), 0)
FROM "ledger_entries" WHERE kind = 'capture' GROUP BY 1, 2, 3, 4, 5;

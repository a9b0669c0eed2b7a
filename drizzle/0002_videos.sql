CREATE TABLE "video_idempotency" (
	"account_id" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"task_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "video_idempotency_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "video_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"key_id" text NOT NULL,
	"model_id" text NOT NULL,
	"prompt" text NOT NULL,
	"duration_seconds" integer NOT NULL,
	"resolution" text NOT NULL,
	"aspect_ratio" text,
	"state" text NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"video_url" text,
	"price" bigint NOT NULL,
	"period" text NOT NULL,
	"channel_id" text,
	"upstream" jsonb,
	"credential" text,
	"upstream_ref" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deadline_at" timestamp with time zone NOT NULL,
	"submit_started_at" timestamp with time zone,
	"last_poll_at" timestamp with time zone,
	"next_poll_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"poll_errors" integer DEFAULT 0 NOT NULL,
	"times_lost" integer DEFAULT 0 NOT NULL,
	"times_empty" integer DEFAULT 0 NOT NULL,
	"completed_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"late_result" text
);
--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "max_tasks" integer;--> statement-breakpoint
CREATE INDEX "video_tasks_due" ON "video_tasks" USING btree ("next_poll_at") WHERE state in ('submitting', 'processing');--> statement-breakpoint
CREATE INDEX "video_tasks_open" ON "video_tasks" USING btree ("channel_id") WHERE state in ('submitting', 'processing');--> statement-breakpoint
CREATE UNIQUE INDEX "video_tasks_ref" ON "video_tasks" USING btree (("upstream"->>'dialect'),("upstream"->>'baseUrl'),"upstream_ref");--> statement-breakpoint
CREATE INDEX "video_tasks_account" ON "video_tasks" USING btree ("account_id","created_at");
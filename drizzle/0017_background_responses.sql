CREATE TABLE "background_responses" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"key_id" text NOT NULL,
	"request_id" text NOT NULL,
	"model_id" text NOT NULL,
	"period" text NOT NULL,
	"amount" bigint NOT NULL,
	"payload" "bytea" NOT NULL,
	"run_id" text,
	"lease_until" timestamp with time zone,
	"has_begun" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "background_responses_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE INDEX "background_responses_waiting" ON "background_responses" USING btree ("created_at");
CREATE TABLE "kept_thinking" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"bytes" integer NOT NULL,
	"payload" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kept_thinking_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE INDEX "kept_thinking_expiring" ON "kept_thinking" USING btree ("expires_at");
CREATE TABLE "password_requests" (
	"email" text PRIMARY KEY NOT NULL,
	"language" text NOT NULL,
	"address" text,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "language" text;--> statement-breakpoint
CREATE INDEX "password_requests_due" ON "password_requests" USING btree ("due_at");
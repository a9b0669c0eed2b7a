CREATE TABLE "mail_recipients" (
	"user_id" text PRIMARY KEY NOT NULL,
	"events" text[] NOT NULL,
	"language" text NOT NULL,
	"quiet_until" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ALTER COLUMN "webhook_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "user_id" text;--> statement-breakpoint
ALTER TABLE "mail_recipients" ADD CONSTRAINT "mail_recipients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_user_id_mail_recipients_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."mail_recipients"("user_id") ON DELETE cascade ON UPDATE no action NOT VALID;
CREATE TABLE "channel_alarms" (
	"channel_id" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"well_since" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "channel_alarms" ADD CONSTRAINT "channel_alarms_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;
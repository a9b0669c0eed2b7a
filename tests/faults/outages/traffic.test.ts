/** Upstreams fail, and clients ask for more than they should. */
import { testOutages } from "@/tests/support/outage-tests";

testOutages("traffic");
